/** Door `@oxbow/editor/memory`: the data interface without a server, for examples, tests and previews. */
export { memoryDefinition, type MemoryDefinitionOptions } from "./data/memory-definition.ts";
