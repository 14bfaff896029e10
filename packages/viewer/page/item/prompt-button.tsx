import { trialPrompt } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import { useContext } from 'preact/hooks'
import type { ItemDocument } from '../../src/answers/item.js'
import type { PromptDocument } from '../../src/files/prompt.js'
import { CopyButton } from '../copy-button.js'
import { SourceContext } from '../documents.js'
import { type TrialRoute, trialPath } from '../router.js'

/** Copies a trial as one text for a coding agent. In a report of one file the text is made without the changes. */
export function PromptButton({
  document: { item, experimentName, variant },
  trial,
}: {
  readonly document: ItemDocument
  readonly trial: TrialRoute
}): JSX.Element {
  const source = useContext(SourceContext)
  const prompt = async () => {
    const found = (await source(trialPath(trial, 'prompt'))) as PromptDocument | undefined
    const run = { id: trial.run, experimentName, variant }
    return (
      found?.text ??
      trialPrompt(item, { run, changes: 'They are not part of this text: it was copied from a report in one file.' })
    )
  }
  return (
    <CopyButton text={prompt} label="Copy task, verdict, evidence and changes as one text for a coding agent">
      Copy as prompt
    </CopyButton>
  )
}
