import type { ModelMessage } from '@jurist/core/llm'

/** A prompt as it was sent, and the number of its fences. */
export interface SentPrompt {
  readonly messages: readonly ModelMessage[]
  readonly nonce: string
}

const blocksOf = (nonce: string) =>
  new RegExp(`^<<(?<name>[\\w-]+) ${nonce}>>\\n(?<value>[^]*?)\\n<<end \\k<name> ${nonce}>>$`, 'gm')

/** All that may instruct a model: what is outside the fences, with their number taken out. */
export function outsideFences({ messages, nonce }: SentPrompt): string {
  return messages
    .map(({ role, content }) => `${role}: ${content.replace(blocksOf(nonce), '<<$<name>>>')}`)
    .join('\n\n')
    .replaceAll(nonce, 'FENCE')
}

/** What is within the fences. */
export function insideFences({ messages, nonce }: SentPrompt): readonly string[] {
  return messages.flatMap(({ content }) =>
    [...content.matchAll(blocksOf(nonce))].map(({ groups }) => groups?.['value'] ?? ''),
  )
}
