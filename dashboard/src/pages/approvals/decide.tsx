/** Approving and rejecting, with the form of the request. */
import { type ReactNode, useState } from "react";
import { type Approval, decideApproval, type DecisionBody } from "../../api/approvals.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { FormFields } from "../../parts/schema-form/form-fields.tsx";
import { valuesIn } from "../../parts/schema-form/form-values.ts";
import { useReport } from "../../parts/use-report.ts";

interface Deciding {
  readonly approval: Approval;
  readonly decision: DecisionBody["decision"];
}

/** The buttons of a request, and the dialog that they open. It stays open when others decide the request meanwhile. */
export function useDecide(): {
  readonly dialog: ReactNode;
  readonly buttonsOf: (approval: Approval) => ReactNode;
} {
  const [deciding, setDeciding] = useState<Deciding>();
  return {
    dialog:
      deciding === undefined ? null : (
        <DecideDialog {...deciding} onClose={() => setDeciding(undefined)} />
      ),
    buttonsOf: (approval) => (
      <div className="buttons">
        <button
          type="button"
          className="primary"
          aria-label={`Approve ${approval.title}`}
          onClick={() => setDeciding({ approval, decision: "approved" })}
        >
          Approve…
        </button>
        <button
          type="button"
          className="quiet"
          aria-label={`Reject ${approval.title}`}
          onClick={() => setDeciding({ approval, decision: "rejected" })}
        >
          Reject…
        </button>
      </div>
    ),
  };
}

function DecideDialog({
  approval: { id, title, description, form, workflow, runId },
  decision,
  onClose,
}: Deciding & { readonly onClose: () => void }): ReactNode {
  const report = useReport(["approvals"]);
  const isApproval = decision === "approved";
  const decide = async (fields: FormData): Promise<void> => {
    const { outcome } = await decideApproval(id, {
      decision,
      ...(isApproval ? { values: valuesIn(form, fields) } : {}),
    });
    await report(`${title}: ${NOTES[outcome]}`);
  };
  return (
    <FormDialog
      title={title}
      action={isApproval ? "Approve" : "Reject"}
      isDangerous={!isApproval}
      isOpen
      onClose={onClose}
      onSubmit={decide}
    >
      {description === null ? null : <p className="description">{description}</p>}
      <p className="soft">
        Run {runId} of {workflow} continues on its path for{" "}
        {isApproval ? "approvals" : "rejections"} once enough people agree.
      </p>
      {isApproval ? <FormFields form={form} /> : null}
    </FormDialog>
  );
}

const NOTES = {
  delivered: "decided, and the run continues.",
  counted: "your decision is recorded. Others must decide too.",
  decided: "this was decided before.",
  expired: "this request has expired or was withdrawn.",
} as const;
