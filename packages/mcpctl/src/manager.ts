// Loaded when something has to be managed, which is most of the code: a program that was typed starts meanwhile.
export { adHocEntry, createManager, createEraFile, erasPath } from 'mcp-kit/manager';
