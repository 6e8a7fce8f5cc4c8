import { type ComponentProps, type ReactNode, useId } from "react";

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
}

/** A labelled control, with a hint that screen readers read with it. */
export function Field({
  label,
  hint,
  children,
}: FieldProps & {
  readonly children: (attributes: { id: string; "aria-describedby"?: string }) => ReactNode;
}): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(hint === undefined ? { id } : { id, "aria-describedby": `${id}-hint` })}
      {hint === undefined ? null : (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
}

export const InputField = ({
  label,
  hint,
  ...input
}: FieldProps & ComponentProps<"input">): ReactNode => (
  <Field label={label} hint={hint}>
    {(attributes) => <input {...attributes} {...input} />}
  </Field>
);

export const SelectField = ({
  label,
  hint,
  ...select
}: FieldProps & ComponentProps<"select">): ReactNode => (
  <Field label={label} hint={hint}>
    {(attributes) => <select {...attributes} {...select} />}
  </Field>
);
