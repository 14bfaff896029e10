import { type JudgmentContext, withWorkspace } from './context.js'
import { openedWhenUsed } from './fault.js'
import type { Judgment } from './judgment.js'
import type { Workspace } from './workspace.js'

/** A workspace as one judge sees it. The commands and writes of other judges do not affect it. */
export interface OwnView {
  readonly workspace: Workspace
  /** Ends its commands and deletes its copies. Returns the judgment, to which it may add an explanation. */
  end(judgment: Judgment): Judgment | Promise<Judgment>
}

/**
 * The key of a method by which a workspace gives one judge its own view. Combined judges never share a workspace: the
 * commands of one must not change what another sees. A workspace without the method is shared.
 */
export const ownView: unique symbol = Symbol('own view')

export interface OwnContext {
  readonly context: JudgmentContext
  end(judgment: Judgment): Judgment | Promise<Judgment>
}

/** Does not touch the workspace before the judge uses it. */
export function ownContextOf(context: JudgmentContext): OwnContext {
  let view: OwnView | undefined
  let ended: Judgment | undefined
  const opened = openedWhenUsed(() => {
    const workspace: Workspace & { readonly [ownView]?: () => OwnView } = context.workspace
    if (view === undefined) {
      view = workspace[ownView]?.()
      // A judge that first uses its workspace after it has ended gets a view that has ended too.
      if (ended !== undefined) void view?.end(ended)
    }
    return view?.workspace ?? workspace
  })
  return {
    context: withWorkspace(context, opened),
    end(judgment) {
      ended = judgment
      return view === undefined ? judgment : view.end(judgment)
    },
  }
}
