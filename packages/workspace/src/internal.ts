/**
 * The names that the packages of this repository share and a user's program does not need. Only these packages import
 * them: they change without notice.
 */
import './errors.js'

export { pathOf, shownPath } from './byte-path.js'
export { type Solving, solveTask, usualWorkdir } from './commands/harbor/harbor-verifier.js'
export {
  type CodeProcess,
  type CodeSession,
  codeProcess,
  codeSession,
  type IsolatedLanguage,
} from './commands/isolate/code-process.js'
export { logParserNames } from './commands/swebench/log-parsers.js'
export { ownRoot } from './containment.js'
export { copyOfCheckout } from './copy.js'
export type { CloneMode } from './copy-tree.js'
export { copyTree } from './copy-tree.js'
export { withoutHostSecrets } from './environment.js'
export { type GrammarNode, grammarTree } from './files/code/grammar.js'
export {
  child as scriptChild,
  children as scriptChildren,
  parseScript,
  type SyntaxNode as ScriptNode,
  walk as walkScript,
} from './files/code/script/parse-script.js'
export type { SyntaxProblem } from './files/comparator.js'
export { yamlValue } from './files/data/yaml-value.js'
export {
  checkOutCommit,
  checkOutHistory,
  fetchable,
  type Git,
  makeHistory,
  type Repository,
  readingGit,
  repositoryAround,
  withGit,
  withoutUserInfo,
} from './git.js'
export { copyInstalled } from './installed-copies.js'
export { judgeView, readOnly, type ViewSource } from './judge-view.js'
export { globMatcher } from './list-tree.js'
export { reachHostsBy } from './sandbox/egress/reach.js'
export { namedSandbox } from './sandbox/local.js'
export { unchangedSince } from './snapshot.js'
export { deleteTree, sweepTemporary, temporaryDirectory } from './temporary-directory.js'
export { settingsOf } from './workspace-settings.js'
