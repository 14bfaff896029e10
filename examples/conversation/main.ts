import { allOf, outputText, runExperiment } from 'jurist'
import { atEnd, type ConversationAgent, conversation, everyTurn, scriptedUser } from 'jurist/conversation'

const clerk: ConversationAgent = ({ message, state }) => {
  const order = /order (\d+)/.exec(message)?.[1] ?? state
  if (order === null) return 'Which order is it, please?'
  if (!/yes/i.test(message)) return { text: `Shall I cancel order ${order}, please?`, state: order }
  return `Order ${order} is cancelled. Is there anything else, please?`
}

const polite = everyTurn(outputText({ contains: 'please' }))
const cancelled = atEnd(outputText({ contains: 'is cancelled' }))

const run = runExperiment({
  name: 'cancellations',
  dataset: [
    {
      id: 'plain',
      task: 'Cancel an order',
      metadata: { scenario: { goal: 'Cancel order 7', messages: ['Hello', 'It is order 7.', 'Yes.'] } },
    },
    {
      id: 'short',
      task: 'Cancel an order',
      metadata: { scenario: { goal: 'Cancel order 8', messages: ['Cancel order 8.'] } },
    },
  ],
  agent: conversation(clerk, { user: scriptedUser() }),
  jury: allOf(polite, cancelled),
})
const { items, passCount, counts, userFaults } = await run.result
for (const { itemId, passed, failure } of items) console.log(itemId, passed, failure?.message ?? '')
console.log(`${passCount} of ${counts.decided} decided, ${userFaults?.atFault} of ${userFaults?.trials} users at fault`)
