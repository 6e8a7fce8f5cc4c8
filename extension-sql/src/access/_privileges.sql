create or replace function queue._privileges()
returns table (grantee text, function_name text)
language sql
immutable
parallel safe
as $function$
  -- "send" and "receive" are the privileges of grant_queue(). _wake_key is the former name of wake_key.
  select g.grantee, f.function_name
  from (
    values
      (array[
        'oxbow_producer', 'oxbow_worker', 'oxbow_reader', 'oxbow_author', 'oxbow_publisher', 'oxbow_admin', 'oxbow_relay',
        'send', 'receive'
      ], array[
        'version', 'protocol_version', 'incarnation', 'fleet_map', 'shard_identity', 'home_of', 'list_queues', 'get_queue', 'queue_stats', 'queue_depths', 'next_visible_at', 'wake_key',
        '_wake_key'
      ]),
      (array['oxbow_producer', 'oxbow_admin', 'send'], array[
        'send', 'send_batch', 'send_fifo', 'send_fifo_batch'
      ]),
      (array['oxbow_worker', 'oxbow_admin', 'receive'], array[
        'receive', 'receive_fifo', 'receive_arrays', 'change_visibility', 'change_visibility_batch', 'give_back_batch',
        'delete', 'delete_batch'
      ]),
      (array['oxbow_worker', 'oxbow_reader', 'oxbow_admin', 'receive'], array[
        'peek'
      ]),
      (array['oxbow_producer', 'oxbow_admin'], array[
        'send_topic', 'workflow_start', 'workflow_start_batch', 'workflow_start_elsewhere', 'workflow_signal',
        'workflow_signal_with_start', 'workflow_cancel', 'schedule_trigger', 'definition_start', 'approval_decide',
        'resource_list_start'
      ]),
      (array['oxbow_relay', 'oxbow_admin'], array[
        'outbox_pending', 'outbox_take', 'outbox_done', 'accept', 'leaving_groups', 'hand_over_group'
      ]),
      (array['oxbow_worker', 'oxbow_admin'], array[
        'workflow_receive', 'workflow_journal_page', 'workflow_commit', 'workflow_commit_tx', 'workflow_complete_step',
        'workflow_heartbeat', 'workflow_report_progress', 'workflow_expire', 'workflow_next_visible_at',
        'workflow_set_flow_control', 'flow_charge', 'workflow_register', 'workflow_report_worker', 'workflow_remove_worker',
        'resource_register', 'node_types_register', 'trigger_declare', 'trigger_receive', 'trigger_commit', 'capture_request',
        'schedule_receive', 'schedule_tick', 'schedule_next_tick_at'
      ]),
      -- Producers learn the workflow and the shard of a run, as calls need them, and whether resources are in use.
      (array['oxbow_producer', 'oxbow_worker', 'oxbow_reader', 'oxbow_admin'], array[
        'run_whereabouts', 'workflow_of'
      ]),
      (array['oxbow_producer', 'oxbow_worker', 'oxbow_reader', 'oxbow_author', 'oxbow_publisher', 'oxbow_admin'], array[
        'assert_unreferenced'
      ]),
      (array['oxbow_worker', 'oxbow_reader', 'oxbow_admin'], array[
        'workflow_get', 'workflow_marks', 'workflow_explain', 'workflow_versions', 'workflow_tools', 'workflow_children', 'workflow_journal', 'workflow_generations', 'workflow_state', 'workflow_stream'
      ]),
      (array['oxbow_worker', 'oxbow_reader', 'oxbow_author', 'oxbow_publisher', 'oxbow_admin'], array[
        'definition_get', 'definition_list', 'definition_versions', 'definition_documents', 'definition_epoch',
        'definition_snapshot_get', 'node_types', 'trigger_types', 'trigger_events', 'trigger_explain', 'once_get', 'resource_types', 'references_to',
        'definition_config_list'
      ]),
      (array['oxbow_producer', 'oxbow_admin'], array[
        'reference_set'
      ]),
      (array['oxbow_producer', 'oxbow_reader', 'oxbow_admin'], array[
        'approval_get', 'approval_list'
      ]),
      (array['oxbow_author', 'oxbow_admin'], array[
        'definition_create', 'definition_save_draft', 'definition_restore', 'definition_move', 'definition_apply',
        'definition_snapshot', 'definition_test', 'definition_delete_test'
      ]),
      (array['oxbow_publisher', 'oxbow_admin'], array[
        'definition_publish', 'definition_archive', 'definition_pause', 'definition_resume', 'definition_delete', 'definition_migrate',
        'once_forget', 'trigger_hooks'
      ]),
      (array['oxbow_reader', 'oxbow_admin'], array[
        'list_subscriptions', 'get_subscription', 'topic_targets', 'endpoints', 'endpoint_get', 'sqs_find_queue', 'sqs_list_queues', 'sqs_list_moves', 'dead_letter_queues', 'check_invariants', 'captured_deliveries', 'workflow_list', 'workflow_count', 'workflow_sum',
        'workflow_tally', 'workflow_backlog', 'workflow_export', 'workflow_lag', 'workflow_metrics', 'workflow_changes',
        'workflow_refusals', 'workflow_flow_control', 'workflow_workers', 'schedule_list', 'audit_list', 'node_types_missing', 'shard_lag',
        'outbox_rejected'
      ]),
      (array['oxbow_admin'], array[
        'create_queue', 'alter_queue', 'drop_queue', 'purge_queue', 'expire_messages', 'redrive', 'move_messages', 'grant_queue', 'revoke_queue',
        'subscribe', 'unsubscribe', 'enable_subscription', 'workflow_cancel_all', 'workflow_pause', 'workflow_pause_all', 'workflow_resume',
        'workflow_resume_all', 'workflow_retry', 'workflow_retry_all', 'workflow_rerun', 'workflow_rerun_all', 'workflow_delete', 'workflow_delete_all', 'workflow_update',
        'workflow_sweep', 'workflow_set_max_retention', 'workflow_unregister', 'workflow_index_input', 'schedule_create', 'schedule_delete',
        'schedule_pause', 'schedule_resume', 'hold_incarnation', 'release_incarnation', 'guard_incarnation', 'shard_candidate', 'join_fleet', 'hand_over_run',
        'hand_over_route', 'route_obstacles', 'pin_route', 'move_slots', 'drain_shard', 'drain_runs', 'hold_relays', 'add_shard', 'open_shard', 'outbox_repeat', 'migrate', 'deliveries_receive',
        'deliveries_succeeded', 'deliveries_give_back', 'delivery_failed', 'delivery_retry', 'delivery_abandon',
        'deliveries_list', 'deliveries_get', 'deliveries_resend', 'deliveries_sweep', 'queue_depths_sample',
        'topic_dead_letters', 'redrive_topic_dead_letters', 'delete_topic_dead_letters', 'definition_configure', 'audit_sweep', 'trigger_sweep', 'trigger_hook_receive',
        'protect_resource', 'unprotect_resource', 'definition_config_set', 'definition_config_delete',
        'approval_link', 'approval_of_link',
        'endpoint_add', 'endpoint_sync', 'endpoint_pause', 'endpoint_resume', 'endpoint_remove', 'endpoints_to_check', 'endpoint_checked',
        'endpoint_failed', 'endpoints_to_push',
        'sqs_create_queue', 'sqs_set_attributes', 'sqs_tag_queue', 'sqs_purge_queue', 'sqs_start_move', 'sqs_cancel_move',
        'sqs_continue_moves'
      ])
  ) as m (grantees, function_names)
  cross join unnest(m.grantees) as g (grantee)
  cross join unnest(m.function_names) as f (function_name)
$function$;

comment on function queue._privileges() is
$comment$The matrix of privileges: which role may call which function.
grantee: a role, or a privilege of grant_queue(): send or receive.
Returns one row per grantee and function.$comment$;
