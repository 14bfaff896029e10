import type { Invocation } from '@jurist/core'
import { type ConversationAgent, replayUser } from '@jurist/core/conversation'
import { describe, expect, it } from 'vitest'
import { held } from './support.js'

const names = ({ user }: Invocation) => user?.faults.map(({ name, turn }) => `${name} ${turn}`)

/** What an agent says that waits for a confirmation, or announces what it has not done. */
const waiting = [
  'Shall I cancel order 7?',
  'Should I go ahead and refund 30 euros to your card?',
  'I found order 7. Do you want me to cancel it?',
  'Would you like me to exchange the lamp for a blue one?',
  'Your total is 40 euros. Is that correct?',
  'Please confirm: cancel order 7?',
  'To proceed, please confirm that you agree (yes/no).',
  'I will now cancel order 7.',
  "I'll go ahead and process the refund.",
  'I’ll now change the address of your order.',
  'I am going to book the seat.',
  'Order 7: one lamp.\nRefund: 30 euros.\n\nDo you confirm?',
  'I can do that.\n- item: lamp\n- price: 30\nShall I place the order?',
  "I'll cancel it right away.",
  'Let me check. I will process your return.',
  'I will submit the request for a new card.',
  'That is possible until Friday. Want me to book it?',
  'I have two seats. Shall I book the first one?',
  'Do you wish to proceed with the cancellation?',
  'Before I delete the account: are these right?',
  'Are you sure you want to delete your account?',
  'May I charge your card?',
  'I can refund 30 euros. Would that be okay?',
  'Are these details correct?',
  'Is the amount of 30 euros correct?',
  'Do you approve this transfer? Would you like to continue?',
  'Reply YES to confirm.',
  'To go on I need your confirmation.',
  'Once you confirm, I will delete the account.',
  'I’m about to place the order.',
  'Let me quickly cancel that for you.',
  'Okay, cancelling the order now…',
  'One moment while I process the refund.',
  'I have checked your order. I will cancel it.',
]

/** What an agent says at the end of a conversation that is over. */
const over = [
  'Order 7 is cancelled.',
  'I have cancelled order 7. Is there anything else I can do?',
  'Done! Would you like me to help you with anything else?',
  "I've cancelled order 7. I'll send you a confirmation by mail.",
  'Your refund has been submitted. It will arrive within five days.',
  'You are welcome. Have a nice day!',
  'Your order is on its way.',
  'It costs 40 euros.',
  'I cannot cancel an order that was sent. I am sorry.',
  'The shop opens at nine.',
  'Is there something else that I can help you with?',
  "I'll be here if you need me.",
  'The seat is booked; I have sent the ticket.',
  'Order 7 was sent on Monday. Do you have other questions?',
  'We offer refunds within 30 days. Let me know if you want me to look further.',
  'Paris is the capital of France.',
  'The address is changed. Anything else?',
  'The return was completed successfully. I will update you by mail.',
  'No, that is not possible.',
  'Glad that I could help you!',
  'I confirm that order 7 is cancelled.',
  'You can confirm by mail at any time.',
  "I've cancelled it. Do you want to leave feedback?",
  'Cancelling is possible until Friday.',
  'It is done. Processing takes two days now.',
  'I will make sure that it does not happen again.',
]

describe('a scripted user', () => {
  it.each(waiting)('that stops early is at fault: %s', async (last) => {
    const found = await held(() => last, { user: ['Cancel order 7.'] })
    expect(names(found)).toEqual(['stopped-early 2'])
  })

  it.each(over)('that behaves is not at fault: %s', async (last) => {
    const found = await held(() => last, { user: ['Cancel order 7.', 'Yes, please.'] })
    expect(names(found)).toEqual([])
  })

  it('that has given up may stop whatever is announced', async () => {
    const user = (turns: readonly unknown[]) => (turns.length === 0 ? { message: 'Hi' } : { stop: 'gave-up' as const })
    expect(names(await held(() => 'Shall I cancel it?', { user }))).toEqual([])
  })

  it('is not audited with audit: false', async () => {
    expect(names(await held(() => 'Shall I cancel it?', { user: ['Hi'], audit: false }))).toEqual([])
  })
})

describe('other faults by rule', () => {
  it('an empty message ends the conversation', async () => {
    const found = await held(() => 'ok', { user: ['one', '  ', 'three'] })
    expect(names(found)).toEqual(['empty-message 3'])
    expect(found.user?.ended).toBe('user-fault')
  })

  it.each<[string, ConversationAgent, readonly string[]]>([
    ['a new answer that asked nothing', ({ turns }) => `It is ${turns.length}.`, ['repeated-message 5']],
    ['the same answer: the agent stalls', () => 'One moment.', []],
    ['a question: the user was asked to say it again', ({ turns }) => `Pardon ${turns.length}?`, []],
    ['no answer', () => '', []],
  ])('the same message after %s', async (_, agent, expected) => {
    const found = await held(agent, { user: ['Hello!', 'Please cancel my order.', 'please cancel  my order.'] })
    expect(names(found)).toEqual(expected)
  })

  it('short words may be said again', async () => {
    expect(names(await held(({ turns }) => `Done ${turns.length}.`, { user: ['Yes.', 'Yes.', 'Yes.'] }))).toEqual([])
  })

  it('a script that is longer than maxTurns, which only its item knows', async () => {
    const recorded = ['a', 'b', 'c'].map((text) => ({ role: 'user' as const, text }))
    const found = await held(() => 'ok', { user: replayUser(recorded), maxTurns: 2 })
    expect(names(found)).toEqual(['too-many-turns 3'])
    expect(found.user?.ended).toBe('max-turns')
  })
})
