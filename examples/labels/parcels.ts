import type { InlineItem } from 'jurist'

/** How the agent words an answer. */
type Wording = 'in figures' | 'in words' | 'with the old price' | 'vaguely'

const prices = [4.5, 6.5, 9.5, 12.5, 15.5] as const
const words: Readonly<Record<number, string>> = {
  4.5: 'four euros fifty',
  6.5: 'six euros fifty',
  9.5: 'nine euros fifty',
  12.5: 'twelve euros fifty',
  15.5: 'fifteen euros fifty',
}

/** Of a hundred questions, how many are answered in which way, and whether with the right price. */
const kinds: readonly { readonly of100: number; readonly wording: Wording; readonly right: boolean }[] = [
  { of100: 40, wording: 'in figures', right: true },
  { of100: 13, wording: 'in figures', right: false },
  { of100: 20, wording: 'in words', right: true },
  { of100: 8, wording: 'in words', right: false },
  { of100: 1, wording: 'with the old price', right: false },
  { of100: 18, wording: 'vaguely', right: false },
]

/** A question about a parcel, with what the agent of this example answers. */
export interface Parcel {
  readonly item: InlineItem
  readonly answer: string
  /** Whether the answer names the right price: what no judge is shown. */
  readonly right: boolean
}

/** Two hundred questions. Every run of this program makes the same ones. */
export const parcels: readonly Parcel[] = Array.from({ length: 200 }, (_, index) => {
  const price = prices[(index * 7) % prices.length] ?? 4.5
  const other = prices[(index * 7 + 2) % prices.length] ?? 6.5
  const { wording, right } = kindOf((index * 61) % 100)
  return {
    item: {
      id: `parcel-${String(index + 1).padStart(3, '0')}`,
      task: `What does a parcel of ${(index % 9) + 1} kg to zone ${'ABC'[index % 3]} cost?`,
      expectedOutput: `${price.toFixed(2)} euros`,
    },
    answer: answerOf(wording, right ? price : other, price),
    right,
  }
})

function kindOf(hundredth: number): (typeof kinds)[number] {
  let upTo = 0
  for (const kind of kinds) {
    upTo += kind.of100
    if (hundredth < upTo) return kind
  }
  throw new RangeError(`No kind for ${hundredth}.`)
}

function answerOf(wording: Wording, price: number, expected: number): string {
  switch (wording) {
    case 'in figures':
      return `It costs ${price.toFixed(2)} euros.`
    case 'in words':
      return `That is ${words[price]}.`
    case 'with the old price':
      return `It was ${expected.toFixed(2)} euros last year; now it is ${price.toFixed(2)}.`
    case 'vaguely':
      return `Not much less than ${Math.ceil(expected)} euros, I would think.`
    default:
      return wording satisfies never
  }
}

/** The price in words. */
export function inWords(price: number): string {
  return words[price] ?? ''
}
