/** A field for a condition outside of workflows, such as a policy of the application. */
import {
  checkCondition,
  type CheckedCondition,
  type ConditionScope,
  readableInCondition,
} from "@oxbow/declared/check";
import { type ReactNode, useCallback, useEffect, useId, useMemo, useRef } from "react";
import type { ResourceTypeDescriptor } from "../data/catalog-data.ts";
import { ExpressionInput } from "../form/expression-input.tsx";
import { FieldProblems } from "../problems/field-problems.tsx";

/** The properties of `ConditionField`. */
export interface ConditionFieldProps {
  /** The condition, in CEL. If it is empty, no problem is shown. */
  readonly value: string;
  /** Gets the changed text. */
  readonly onChange: (value: string) => void;
  /**
   * Gets the problems of the condition and the resources that it names: at first, and when they change, also because
   * `scope` or `resourceTypes` have.
   */
  readonly onCheck?: (checked: CheckedCondition) => void;
  readonly label: string;
  /** The variables that the condition reads, as for `compileCondition`. Keep it between renders. */
  readonly scope: ConditionScope;
  /** Types of the resources that the scope and the condition may name. Default: no types. Keep it between renders. */
  readonly resourceTypes?: readonly ResourceTypeDescriptor[];
  /** Shown below the field. */
  readonly hint?: string;
  readonly placeholder?: string;
  /** The condition can be selected and copied, and not changed. Default: false. */
  readonly isReadOnly?: boolean;
  /** A form around it isn't submitted while the field is empty. Default: false. */
  readonly isRequired?: boolean;
  /** Name of the text field, in the data of a form around it. */
  readonly name?: string;
  /** Id of the text field. Default: a generated one. */
  readonly id?: string;
  /** Called when the text field loses the focus. */
  readonly onBlur?: () => void;
  /** `auto` follows the `color-scheme` of the page around it. Default: `auto`. */
  readonly theme?: "auto" | "light" | "dark";
  /** Class of the outermost element, for sizes and custom properties. */
  readonly className?: string;
}

const NO_TYPES: readonly ResourceTypeDescriptor[] = [];

/**
 * Edits a condition, as the editor does with those of workflows: it completes the paths of values, with their types, and
 * underlines what is wrong or may fail. As wide as its parent. The list of values lies over what follows the field, so an
 * ancestor with `overflow: hidden` cuts it off.
 */
export function ConditionField({
  value,
  onChange,
  onCheck,
  label,
  scope,
  resourceTypes = NO_TYPES,
  hint,
  placeholder,
  isReadOnly = false,
  isRequired = false,
  name,
  id,
  onBlur,
  theme = "auto",
  className,
}: ConditionFieldProps): ReactNode {
  const own = useId();
  const inputId = id ?? `${own}-text`;
  const catalog = useMemo(() => {
    const types = new Map(resourceTypes.map((each) => [each.type, each]));
    return {
      resourceType: (type: string) => types.get(type),
      resourceTypes: [...types.keys()],
    };
  }, [resourceTypes]);
  const readable = useCallback(() => readableInCondition(scope, catalog), [scope, catalog]);
  const checked = useMemo(() => check(value, scope, catalog), [value, scope, catalog]);
  useReport(checked, onCheck);
  const { problems } = checked;
  return (
    <div
      className={`oxbow-editor oxe-condition${className === undefined ? "" : ` ${className}`}`}
      data-theme={theme}
    >
      <div className="oxe-field">
        <label className="oxe-label" htmlFor={inputId}>
          {label}
          {isRequired ? <span className="oxe-required"> required</span> : null}
        </label>
        <ExpressionInput
          kind="cel"
          inputId={inputId}
          label={label}
          describedBy={`${own}-hint ${own}-problems`}
          readable={readable}
          problems={problems}
          {...(placeholder === undefined ? {} : { placeholder })}
          {...(name === undefined ? {} : { name })}
          {...(onBlur === undefined ? {} : { onBlur })}
          isReadOnly={isReadOnly}
          isRequired={isRequired}
          value={value}
          onChange={onChange}
        />
        <p className="oxe-hint" id={`${own}-hint`} hidden={hint === undefined}>
          {hint}
        </p>
        <FieldProblems id={`${own}-problems`} problems={problems} />
      </div>
    </div>
  );
}

/**
 * Reports a check if it differs from the one before: the application may render the field again because of a report,
 * with an equal scope that is another object.
 */
function useReport(
  checked: CheckedCondition,
  onCheck: ((checked: CheckedCondition) => void) | undefined,
): void {
  const reported = useRef<string>(undefined);
  useEffect(() => {
    const text = JSON.stringify(checked);
    if (onCheck === undefined || text === reported.current) return;
    reported.current = text;
    onCheck(checked);
  }, [checked, onCheck]);
}

const check = (
  text: string,
  scope: ConditionScope,
  catalog: Parameters<typeof checkCondition>[2],
): CheckedCondition =>
  text === "" ? { problems: [], references: [] } : checkCondition(text, scope, catalog);
