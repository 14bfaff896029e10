import { openAiCompatibleModel } from '@jurist/bridges/openai-compatible'
import { type OtelTracer, tracedJury, tracedModel } from '@jurist/bridges/otel'
import { jury, outputText, type Verdict } from '@jurist/core'
import { correctness } from '@jurist/core/llm'

/** What is imported in a project: `trace` of '@opentelemetry/api'. */
interface OpenTelemetry {
  trace: { getTracer(name: string): OtelTracer }
}

/** The vote and the model's calls become spans, each judgment an event. */
export function main(url: string, { trace }: OpenTelemetry): Promise<Verdict> {
  const tracer = trace.getTracer('jurist')
  const model = tracedModel(openAiCompatibleModel({ baseUrl: `${url}/v1`, model: 'qwen3' }), { tracer })
  const rules = jury({ judges: { city: outputText({ contains: 'Paris' }), correct: correctness({ model }) } })
  return tracedJury(rules, 'rules', { tracer }).vote({
    goal: 'What is the capital of France?',
    agentOutput: 'Paris is the capital of France.',
  })
}
