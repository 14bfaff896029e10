import { type Agent, defineConfig, trialOf } from 'jurist'
import { conversation, modelUser, type SimulatedUser, scriptedUser } from 'jurist/conversation'
import { openAiCompatibleModel } from 'jurist/openai-compatible'
import { items } from './items.js'
import { shopJury } from './jury.js'
import { calmShop, troubledShop } from './shop.js'
import { standInModel } from './stand-in-model.js'
import { supportAgent } from './support-agent.js'

const { SHOP_MODEL_URL: baseUrl } = process.env
/** Plays the customer: a server that speaks the OpenAI protocol, or by default a function that needs none. */
const model = baseUrl === undefined ? standInModel : openAiCompatibleModel({ baseUrl, model: 'customer' })

/** The agent of the shop, in a conversation with a user. In every third repetition it has a weak hour. */
function served(shop: typeof calmShop, user: SimulatedUser): Agent {
  return shop.agent((session, task) =>
    conversation(supportAgent(session, (trialOf(task)?.repetition ?? 1) % 3 === 0), { user, maxTurns: 6 }),
  )
}

export default defineConfig({
  experiments: {
    shop: {
      dataset: items,
      agent: served(calmShop, scriptedUser()),
      variants: {
        scripted: {},
        model: { agent: served(calmShop, modelUser({ model })) },
        'bad-day': { agent: served(troubledShop, scriptedUser()) },
      },
      jury: shopJury,
      repetitions: 3,
    },
  },
})
