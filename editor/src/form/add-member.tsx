/** Asks for the name of a member to add. */
import { type ReactNode, useState } from "react";
import { Icon } from "../catalog/icon.tsx";

export function AddMember({
  label,
  placeholder,
  action,
  isTaken,
  onAdd,
}: {
  readonly label: string;
  readonly placeholder: string;
  readonly action: string;
  readonly isTaken: (name: string) => boolean;
  readonly onAdd: (name: string) => void;
}): ReactNode {
  const [name, setName] = useState("");
  const trimmed = name.trim();
  const add = (): void => {
    if (trimmed === "" || isTaken(trimmed)) return;
    onAdd(trimmed);
    setName("");
  };
  return (
    <div className="oxe-add-member">
      <input
        aria-label={label}
        placeholder={placeholder}
        value={name}
        onChange={({ target }) => setName(target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          add();
        }}
      />
      <button type="button" className="oxe-add" disabled={trimmed === ""} onClick={add}>
        <Icon name="plus" size={14} /> {action}
      </button>
    </div>
  );
}
