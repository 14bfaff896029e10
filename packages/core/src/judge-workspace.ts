import { type JudgmentContext, withWorkspace } from './context.js'
import { openedWhenUsed } from './fault.js'
import type { Judgment } from './judgment.js'
import type { Workspace } from './workspace.js'

/** A workspace as one judge sees it: no other judge sees what its commands and writes change. */
export interface OwnView {
  readonly workspace: Workspace
  /** Ends its commands and deletes what was copied. Answers with the judgment, which may have gained an explanation. */
  end(judgment: Judgment): Judgment | Promise<Judgment>
}

/**
 * The key of a method by which a workspace gives one judge its own view. Judges that are combined never share a
 * workspace: what one of them runs cannot change what another one looks at. A workspace without the method is shared.
 */
export const ownView: unique symbol = Symbol('own view')

/** The context of one judge among others. */
export interface OwnContext {
  readonly context: JudgmentContext
  end(judgment: Judgment): Judgment | Promise<Judgment>
}

/** The context for one of several judges. Its workspace is not touched before the judge uses it. */
export function ownContextOf(context: JudgmentContext): OwnContext {
  let view: OwnView | undefined
  let ended: Judgment | undefined
  const opened = openedWhenUsed(() => {
    const workspace: Workspace & { readonly [ownView]?: () => OwnView } = context.workspace
    if (view === undefined) {
      view = workspace[ownView]?.()
      // A judge that uses its workspace for the first time after its end gets a view that has ended too.
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
