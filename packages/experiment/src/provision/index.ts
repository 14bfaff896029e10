/** Workspaces for trials, and the knowledge that goes into them. */
export { type CopyWorkspacesOptions, copyWorkspaces } from './copy-workspaces.js'
export { type GitWorkspacesOptions, gitWorkspaces } from './git-workspaces.js'
export { type Knowledge, type PreparedKnowledge, prepareKnowledge, unknownKnowledgeRefs } from './knowledge.js'
export type { Isolation, Provision, ProvisionRequest, WorkspaceLease } from './provision.js'
