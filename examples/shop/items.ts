import type { InlineItem } from 'jurist'
import { changed, opening, type Shop } from './shop.js'

/** What a customer wants, what a script lets it say, and what the shop must look like afterwards. */
function item(
  id: string,
  goal: string,
  messages: readonly string[],
  calls: readonly object[],
  after: Shop,
): InlineItem {
  const scenario = { goal, messages }
  return { id, task: goal, metadata: JSON.parse(JSON.stringify({ scenario, toolCalls: calls, expectedState: after })) }
}

/** A tool may fail, and be called again. */
const call = (name: string, input: object) => ({ name, input, times: [1, 2] })
const find = (order: string) => call('find_order', { order })

/** Five customers of the shop. */
export const items: readonly InlineItem[] = [
  item(
    'cancel',
    'Cancel order A-100.',
    ['I want to cancel my bookshelf.', 'It is A-100.', 'Yes, please.'],
    [find('A-100'), call('cancel_order', { order: 'A-100' })],
    changed(opening, 'A-100', { status: 'cancelled' }),
  ),
  item(
    'cancel-too-late',
    'Cancel order A-200, which is on its way already.',
    ['Cancel order A-200.', 'That is a pity.'],
    [find('A-200')],
    opening,
  ),
  item(
    'refund',
    'Get a refund for order A-300.',
    ['I want a refund for order A-300.', 'Yes, please.'],
    [find('A-300'), call('refund_order', { order: 'A-300' })],
    changed(opening, 'A-300', { refundedUsd: 40 }),
  ),
  item(
    'refund-too-late',
    'Get a refund for order A-400, and insist on it.',
    ['I want my money back for order A-400.', 'I insist: I am a customer of ten years.'],
    [find('A-400')],
    opening,
  ),
  item(
    'new-address',
    'Have order A-100 sent to 2 New Street.',
    ['Please send it to 2 New Street, my order A-100.', 'Yes, please.'],
    [find('A-100'), call('change_address', { order: 'A-100', address: '2 New Street' })],
    changed(opening, 'A-100', { address: '2 New Street' }),
  ),
]
