/**
 * Door `@oxbow/editor`: the editor of declared workflows, as a React component, the data interface that it reads and
 * writes, and a field for conditions outside of workflows.
 */
export { ConditionField, type ConditionFieldProps } from "./condition/condition-field.tsx";
export { Editor, type EditorProps } from "./shell/editor.tsx";
export type {
  Draft,
  EdgeState,
  EditorData,
  FindResources,
  ListedRun,
  ListedVersion,
  LoadedDraft,
  NodeState,
  PublishAnswer,
  RunProgress,
  SaveAnswer,
  TestPin,
  TestRequest,
  Version,
} from "./data/editor-data.ts";
export type {
  CatalogData,
  NodeTypeDescriptor,
  ResourceOption,
  ResourceTypeDescriptor,
  TriggerDescriptor,
  WorkflowDescriptor,
} from "./data/catalog-data.ts";
