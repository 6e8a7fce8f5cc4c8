/** The editor of a definition. Loaded with its libraries when it is opened. */
import { Editor } from "@oxbow/editor";
import "@oxbow/editor/style.css";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { definitionsQuery } from "../../api/definitions.ts";
import { sessionQuery } from "../../api/session.ts";
import { Loading } from "../../parts/answered.tsx";
import { Page } from "../../parts/page.tsx";
import { definitionData } from "./definition-data.ts";
import "./definition.css";

const checkWorker = (): Worker =>
  new Worker(new URL("./check-worker.ts", import.meta.url), { type: "module" });

export function DefinitionPage(): ReactNode {
  const { name } = useParams({ from: "/definitions/$name" });
  const { run } = useSearch({ from: "/definitions/$name" });
  const queries = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  const scopes = session?.scopes;
  const data = useMemo(
    () =>
      scopes === undefined ? undefined : definitionData(name, (scope) => scopes.includes(scope)),
    [name, scopes],
  );
  return (
    <Page
      title={name}
      actions={
        <>
          <Link to="/runs" search={{ workflow: name }} className="button">
            All runs
          </Link>
          <Link to="/definitions/$name/events" params={{ name }} className="button">
            Events of triggers
          </Link>
        </>
      }
    >
      <div className="definition">
        {data === undefined ? (
          <Loading />
        ) : (
          <Editor
            key={`${name} ${run ?? ""}`}
            data={data}
            {...(run === undefined ? {} : { initialRun: run })}
            checkWorker={checkWorker}
            onPublished={() =>
              void queries.invalidateQueries({ queryKey: definitionsQuery.queryKey })
            }
          />
        )}
      </div>
    </Page>
  );
}
