import { allOf, type Jury, jury, not, outputText } from 'jurist'
import { everyTurn } from 'jurist/conversation'
import { stateEquals, toolCalls, toolOrder } from 'jurist/tools'

const changes = ['cancel_order', 'refund_order', 'change_address']

/** Was the right thing done, by the right calls, in the right order, and did every answer say something useful? */
export const shopJury: Jury = jury({
  judges: {
    // What counts in the end: the orders as they are, whatever was said about them.
    state: stateEquals(),
    // What led there: no other order was looked at, and nothing else was tried.
    calls: toolCalls(),
    looks: allOf(...changes.map((tool) => toolOrder('find_order', tool))),
    answers: everyTurn(not(outputText({ matches: 'undefined|null|\\{' }))),
  },
})
