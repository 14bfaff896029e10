import { fileURLToPath } from 'node:url'
import type { ExperimentResult } from '@jurist/experiment/result'
import { runExperiment } from 'jurist'
import type { JudgeModel } from 'jurist/llm'
import { answeringAgent } from './answering-agent.js'
import { ragJury } from './jury.js'

/** Answers all questions, and has the answers judged by `model`. */
export function evaluate(model: JudgeModel): Promise<ExperimentResult> {
  return runExperiment({
    name: 'rag',
    dataset: fileURLToPath(new URL('questions.jsonl', import.meta.url)),
    agent: answeringAgent,
    jury: ragJury(model),
  }).result
}
