import { type JudgmentContext, withWorkspace } from './context.js'
import { openedWhenUsed } from './fault.js'
import type { Judgment } from './judgment.js'
import type { Workspace } from './workspace.js'

/**
 * A workspace that gives each of several judges its own view: the commands and writes of one do not affect what another
 * sees. Without the method, judges share the workspace.
 */
export interface SharedWorkspace extends Workspace {
  forJudge?(): JudgeView
}

/** A workspace as one judge sees it. */
export interface JudgeView {
  readonly workspace: Workspace
  /** Ends its commands and deletes its copies. Returns the judgment, to which it may add an explanation. */
  end(judgment: Judgment): Judgment | Promise<Judgment>
}

export interface OwnContext {
  readonly context: JudgmentContext
  end(judgment: Judgment): Judgment | Promise<Judgment>
}

/** Does not touch the workspace before the judge uses it. */
export function ownContextOf(context: JudgmentContext): OwnContext {
  let view: JudgeView | undefined
  let ended: Judgment | undefined
  const opened = openedWhenUsed(() => {
    const workspace: SharedWorkspace = context.workspace
    if (view === undefined) {
      view = workspace.forJudge?.()
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
