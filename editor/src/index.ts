/** Door `@oxbow/editor`: the editor of declared workflows, as a React component, and the data interface that it reads and writes. */
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
