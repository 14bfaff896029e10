import { JuristError } from '@jurist/core'
import type { Embed } from '@jurist/core/answers'
import { isPlainObject, madeOf, printed } from '@jurist/core/internal'
import type { ModelDescription } from './model-description.js'
import { checkModel, settingsOf } from './models.js'

const name = 'embed'

/**
 * The model of vectors that an option of a config describes: as one of `models`, behind an OpenAI-compatible server.
 *
 * @throws `option-invalid` naming everything that is wrong
 */
export function embedFrom(value: unknown): Embed {
  if (!isPlainObject(value)) return refuse(`must describe a model (got ${printed(value)})`)
  checkModel(name, value)
  const { structured, ...settings } = settingsOf(name, value as unknown as ModelDescription)
  if (value['provider'] !== 'openai-compatible') return refuse('must have the provider "openai-compatible"')
  if (structured !== undefined || value['options'] !== undefined)
    return refuse('has no "structured" and no "options": there is no answer to form')
  let made: Promise<Embed> | undefined
  const embed: Embed = async (texts, signal) => {
    made ??= import('@jurist/bridges/openai-compatible').then((door) => door.openAiCompatibleEmbeddings(settings))
    return (await made)(texts, signal)
  }
  return madeOf(embed, { provider: value['provider'], model: value['model'] })
}

function refuse(problem: string): never {
  throw new JuristError('option-invalid', `similarTo: "embed" ${problem}.`, { option: 'embed' })
}
