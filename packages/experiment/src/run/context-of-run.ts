import { semaphore } from '@jurist/kit/semaphore'
import type { RunKind } from '../result/run-kind.js'
import type { Cancellation } from './cancellation.js'
import { agentVariables } from './environment.js'
import type { Tell } from './event-log.js'
import { classifier } from './infrastructure.js'
import type { Prepared, Selection } from './prepare.js'
import { recordingOf } from './recording.js'
import type { RunContext } from './run-context.js'

/** What the context of a run is made of. */
export interface ContextParts extends Pick<RunContext, 'runId' | 'directory' | 'resumed' | 'append'> {
  readonly prepared: Pick<Prepared, 'settings' | 'provision' | 'knowledge'>
  readonly selection: Pick<Selection, 'juries'>
  readonly kind: RunKind
  readonly cancellation: Cancellation
  readonly tell: Tell
}

/** The context that the trials of a run share. */
export function contextOfRun({ prepared, selection, tell, ...parts }: ContextParts): RunContext {
  const { settings, provision, knowledge } = prepared
  const { runId, kind, directory, resumed, cancellation, append } = parts
  const warn: RunContext['warn'] = (code, message, itemId) => tell({ type: 'warning', code, message, itemId })
  const recording = recordingOf(settings)
  return {
    ...{ runId, kind, settings, provision, knowledge, directory, resumed, cancellation, append, tell, warn, recording },
    juryOf: selection.juries.of,
    env: agentVariables(settings.environment),
    preserve: settings.preserve ?? (directory === null ? 'none' : 'all'),
    judging: semaphore(settings.judgeConcurrency),
    classify: classifier(settings.retries, recording, (code, message) => warn(code, message, null)),
  }
}
