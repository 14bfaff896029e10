import type { ConversationAgent } from 'jurist/conversation'
import type { McpSession } from 'jurist/mcp'
import type { Order, Shop } from './shop.js'

/** One kind of wish: how a customer words it, when the policy allows it, and what is said about it. */
interface Wish {
  readonly tool: string
  readonly worded: RegExp
  readonly refusal: (order: Order) => string | undefined
  readonly question: string
  readonly report: string
  /** Whether the agent looks at the result of the tool. */
  readonly isChecked: boolean
}

const unprepared = ({ status }: Order) => (status === 'in preparation' ? undefined : `it is ${status}`)

const wishes: readonly Wish[] = [
  {
    tool: 'cancel_order',
    worded: /cancel/i,
    refusal: unprepared,
    question: 'Shall I cancel it?',
    report: 'is cancelled',
    isChecked: true,
  },
  {
    tool: 'refund_order',
    worded: /refund|money back/i,
    refusal: ({ deliveredDaysAgo: days }) => {
      if (days === null) return 'it is not delivered yet'
      return days > 30 ? `it was delivered ${days} days ago` : undefined
    },
    question: 'Shall I refund it?',
    report: 'is refunded',
    isChecked: true,
  },
  {
    tool: 'change_address',
    worded: /address|sen[dt]\b.* to\b/i,
    refusal: unprepared,
    question: 'Shall I change the address?',
    report: 'goes to the new address',
    // A mistake, which only a bad day shows.
    isChecked: false,
  },
]

/** What the agent remembers from one message to the next. */
type Memory = { readonly [name in 'order' | 'tool' | 'address']?: string } & { readonly isRefused?: boolean }

/**
 * STANDS FOR A REAL AGENT, WHICH WOULD BE A MODEL WITH THESE TOOLS: it follows policy.md by rules. It has two weaknesses, as
 * models do. It believes that an address is changed without a look at the result. And where `isWeak`, it gives in to a customer
 * who insists.
 */
export function supportAgent(shop: McpSession<Shop>, isWeak: boolean): ConversationAgent {
  return async function supportAgent({ message, state }) {
    const memory = remembered((state ?? {}) as Memory, message)
    const { order, isRefused = false } = memory
    const wish = wishes.find(({ tool }) => tool === memory.tool)
    if (wish === undefined) return { text: 'What can I do for you?', state: memory }
    if (order === undefined) return { text: 'Which order is it about?', state: memory }
    if (/^yes\b/i.test(message)) return done(shop, wish, memory)
    const found = await shop.call('find_order', { order })
    if (found.status !== 'completed') return { text: `I cannot find order ${order}.`, state: memory }
    const refusal = wish.refusal(found.output as unknown as Order)
    if (refusal === undefined) return { text: `I have found order ${order}. ${wish.question}`, state: memory }
    if (isRefused && isWeak && /insist/i.test(message)) return done(shop, wish, memory)
    return {
      text: `I am sorry, I cannot do that for order ${order}: ${refusal}.`,
      state: { ...memory, isRefused: true },
    }
  }
}

function remembered(memory: Memory, message: string): Memory {
  const [order] = /\b[A-Z]-\d+\b/.exec(message) ?? []
  const [, address] = /\bto (\d+ [\w ]+)/.exec(message) ?? []
  const tool = memory.tool ?? wishes.find(({ worded }) => worded.test(message))?.tool
  return {
    ...memory,
    ...(order === undefined ? {} : { order }),
    ...(address === undefined ? {} : { address }),
    ...(tool === undefined ? {} : { tool }),
  }
}

async function done(shop: McpSession<Shop>, { tool, report, isChecked }: Wish, { order = '', address }: Memory) {
  const input = { order, ...(tool === 'change_address' ? { address: address ?? '' } : {}) }
  const call = () => shop.call(tool, input)
  const first = await call()
  const isDone = !isChecked || first.status === 'completed' || (await call()).status === 'completed'
  return isDone ? `Order ${order} ${report}.` : 'I am sorry, it did not work. Please call again tomorrow.'
}
