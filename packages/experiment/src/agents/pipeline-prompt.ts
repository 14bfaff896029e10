import type { Analysis, ExecutionPlan } from '../invocation.js'

/** What the stages before the work found. */
export interface PipelineStages {
  readonly analysis: Analysis | null
  readonly plan: ExecutionPlan | null
}

/** The prompt, then a section for what each stage found; untouched when there is nothing. */
export function enrichedPrompt(prompt: string, { analysis, plan }: PipelineStages): string {
  const sections = [
    ...section('Roadmap', plan?.roadmap ?? ''),
    ...section('Recommended tools', (plan?.recommendedTools ?? []).map((tool) => `- ${tool}`).join('\n')),
    ...section('Analysis', analysis?.summary ?? ''),
  ]
  return [prompt, ...sections].join('\n\n')
}

function section(title: string, text: string): readonly string[] {
  return text.trim() === '' ? [] : [`## ${title}\n\n${text.trim()}`]
}

/** A system prompt for work whose plan is made. */
export function plannedSystemPrompt(systemPrompt: string | undefined): string {
  const sentence = 'A plan has been made and stands in the prompt: follow it, and do not plan again.'
  return systemPrompt === undefined || systemPrompt === '' ? sentence : `${systemPrompt}\n\n${sentence}`
}
