/** Definitions: workflows that are built in the editor. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { createDefinition, type Definition, definitionsQuery } from "../../api/definitions.ts";
import { Answered } from "../../parts/answered.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Empty } from "../../parts/empty.tsx";
import { InputField } from "../../parts/field.tsx";
import { FormButton, textOf } from "../../parts/form-dialog.tsx";
import { Page } from "../../parts/page.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { May } from "../../shell/may.tsx";
import { PauseButton } from "./pause-button.tsx";

const COLUMNS: readonly Column<Definition>[] = [
  {
    title: "Definition",
    cell: ({ name }) => (
      <Link to="/definitions/$name" params={{ name }}>
        {name}
      </Link>
    ),
  },
  { title: "Title", kind: "long", wide: true, cell: ({ title }) => title },
  {
    title: "State",
    kind: "long",
    cell: ({ state, pauseReason }) => (
      <>
        <Badge text={state} />
        {pauseReason === null ? null : <div className="soft">{pauseReason}</div>}
      </>
    ),
  },
  {
    title: "Version",
    kind: "number",
    cell: ({ publishedVersion, hasChanges }) =>
      publishedVersion === null ? "" : `${publishedVersion}${hasChanges ? ", changed since" : ""}`,
  },
  { title: "Edited", wide: true, cell: ({ draftedAt }) => <Time at={draftedAt} /> },
  { title: "By", wide: true, cell: ({ draftBy }) => draftBy },
  {
    title: "History",
    cell: ({ name }) => (
      <>
        <Link to="/runs" search={{ workflow: name }}>
          Runs
        </Link>
        {" · "}
        <Link to="/definitions/$name/events" params={{ name }}>
          Events
        </Link>
      </>
    ),
  },
  {
    title: "Starts",
    cell: (definition) => (
      <May scope="publish">
        <PauseButton definition={definition} isQuiet />
      </May>
    ),
  },
];

export function DefinitionsPage(): ReactNode {
  const query = useQuery(definitionsQuery);
  return (
    <Page
      title="Definitions"
      actions={
        <May scope="define">
          <CreateDefinition />
        </May>
      }
    >
      <Answered query={query}>
        {(definitions) => (
          <Table
            caption="Definitions"
            columns={COLUMNS}
            rows={definitions}
            keyOf={({ name }) => name}
            empty={
              <Empty title="No definition yet.">
                <p>
                  A definition is a workflow as data, which you build in the editor. Create one, or
                  apply documents that you keep elsewhere:
                </p>
                <pre>oxbow definitions apply definitions</pre>
              </Empty>
            }
          />
        )}
      </Answered>
    </Page>
  );
}

function CreateDefinition(): ReactNode {
  const navigate = useNavigate();
  const create = async (fields: FormData): Promise<void> => {
    const name = textOf(fields, "name") ?? "";
    const title = textOf(fields, "title");
    const document = { format: 1, name, ...(title === undefined ? {} : { title }), nodes: {} };
    await createDefinition(name, document);
    await navigate({ to: "/definitions/$name", params: { name } });
  };
  return (
    <FormButton
      button="Create a definition"
      look="primary"
      title="Create a definition"
      action="Create"
      onSubmit={create}
    >
      <InputField
        label="Name"
        hint="The name of the workflow: a-z, 0-9, _ and -. It can't be changed."
        name="name"
        pattern="[a-z0-9][a-z0-9_\-]{0,42}"
        autoComplete="off"
        required
      />
      <InputField label="Title" name="title" autoComplete="off" />
    </FormButton>
  );
}
