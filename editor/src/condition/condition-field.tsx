/** A field for a condition outside of workflows, such as a policy of the application. */
import {
  checkCondition,
  type CheckedCondition,
  type ConditionScope,
  readableInCondition,
} from "@oxbow/declared/check";
import { type ReactNode, useCallback, useId, useMemo } from "react";
import type { ResourceTypeDescriptor } from "../data/catalog-data.ts";
import { ExpressionInput } from "../form/expression-input.tsx";
import { FieldProblems } from "../problems/field-problems.tsx";

/** The properties of `ConditionField`. */
export interface ConditionFieldProps {
  /** The condition, in CEL. Empty: there is none, and no problem is shown. */
  readonly value: string;
  /** Gets the changed text, with its problems and the resources that it names. */
  readonly onChange: (value: string, checked: CheckedCondition) => void;
  readonly label: string;
  /** The variables that the condition reads, as for `compileCondition`. Keep it between renders. */
  readonly scope: ConditionScope;
  /** Types of the resources that the scope and the condition may name. Default: none. Keep it between renders. */
  readonly resourceTypes?: readonly ResourceTypeDescriptor[];
  /** Shown below the field. */
  readonly hint?: string;
  readonly placeholder?: string;
  /** Shows the condition only. Default: false. */
  readonly isReadOnly?: boolean;
  /** `auto` follows the `color-scheme` of the page around it. Default: `auto`. */
  readonly theme?: "auto" | "light" | "dark";
  /** Of the outermost element, for sizes and custom properties. */
  readonly className?: string;
}

const NO_TYPES: readonly ResourceTypeDescriptor[] = [];

/**
 * Edits a condition, as the editor does with those of workflows: it completes the paths of values, with their types, and
 * underlines what is wrong or may fail. As wide as its parent.
 */
export function ConditionField({
  value,
  onChange,
  label,
  scope,
  resourceTypes = NO_TYPES,
  hint,
  placeholder,
  isReadOnly = false,
  theme = "auto",
  className,
}: ConditionFieldProps): ReactNode {
  const id = useId();
  const catalog = useMemo(() => {
    const types = new Map(resourceTypes.map((each) => [each.type, each]));
    return {
      resourceType: (type: string) => types.get(type),
      resourceTypes: [...types.keys()],
    };
  }, [resourceTypes]);
  const readable = useCallback(() => readableInCondition(scope, catalog), [scope, catalog]);
  const { problems } = useMemo(() => checked(value, scope, catalog), [value, scope, catalog]);
  return (
    <div
      className={`oxbow-editor oxe-condition${className === undefined ? "" : ` ${className}`}`}
      data-theme={theme}
    >
      <fieldset disabled={isReadOnly} className="oxe-field">
        <label className="oxe-label" htmlFor={`${id}-text`}>
          {label}
        </label>
        <ExpressionInput
          kind="cel"
          inputId={`${id}-text`}
          label={label}
          describedBy={`${id}-hint ${id}-problems`}
          readable={readable}
          problems={problems}
          {...(placeholder === undefined ? {} : { placeholder })}
          value={value}
          onChange={(text) => onChange(text, checked(text, scope, catalog))}
        />
        <p className="oxe-hint" id={`${id}-hint`} hidden={hint === undefined}>
          {hint}
        </p>
        <FieldProblems id={`${id}-problems`} problems={problems} />
      </fieldset>
    </div>
  );
}

const checked = (
  text: string,
  scope: ConditionScope,
  catalog: Parameters<typeof checkCondition>[2],
): CheckedCondition =>
  text === "" ? { problems: [], references: [] } : checkCondition(text, scope, catalog);
