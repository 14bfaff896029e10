import { type JudgmentContext, stopped, withWorkspace } from './context.js'
import type { Judgment } from './judgment.js'
import type { Soon } from './soon.js'
import type { Workspace } from './workspace.js'

/** A workspace as one judge sees it: what its commands and its writes change, nobody else sees. */
export interface OwnView {
  readonly workspace: Workspace
  /** Ends its commands and deletes what was copied. Answers with the judgment, which may have gained an explanation. */
  end(judgment: Judgment): Soon<Judgment>
}

/**
 * The key of a method by which a workspace gives one judge a view of its own. Judges that are combined never share a
 * workspace: what one of them runs cannot change what another one looks at. A workspace without the method is shared.
 *
 * @example
 * const workspace = { ...local, [ownView]: () => viewOf(local) }
 */
export const ownView: unique symbol = Symbol('own view')

/** The context of one judge among others. */
export interface OwnContext {
  readonly context: JudgmentContext
  end(judgment: Judgment): Soon<Judgment>
}

/**
 * The context for one judge among others; `undefined` when the workspace is shared. A view is made when the judge asks for
 * the workspace, where that is made so late itself: most judges of such a context never do.
 *
 * @example
 * const own = ownContextOf(context)
 * const judgment = await runJudge(build, own?.context ?? context)
 */
export function ownContextOf(
  context: JudgmentContext & { readonly [stopped]?: () => boolean },
): OwnContext | undefined {
  if (context[stopped] === undefined && viewerOf(context.workspace) === undefined) return undefined
  let view: OwnView | undefined
  const seen = (): Workspace => {
    view ??= viewerOf(context.workspace)?.() ?? { workspace: context.workspace, end: (judgment) => judgment }
    return view.workspace
  }
  return { context: withWorkspace(context, seen), end: (judgment) => view?.end(judgment) ?? judgment }
}

function viewerOf(workspace: Workspace & { readonly [ownView]?: () => OwnView }): (() => OwnView) | undefined {
  return workspace?.[ownView]
}
