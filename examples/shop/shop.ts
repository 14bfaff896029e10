import type { JsonObject } from 'jurist'
import { mcpFixture } from 'jurist/mcp'

/** An order, as the shop knows it. */
export interface Order {
  readonly item: string
  readonly priceUsd: number
  readonly status: 'in preparation' | 'shipped' | 'delivered' | 'cancelled'
  readonly address: string
  readonly deliveredDaysAgo: number | null
  readonly refundedUsd: number
}

/** The state of the shop. */
export interface Shop {
  readonly orders: { readonly [number: string]: Order }
}

const order = (
  item: string,
  priceUsd: number,
  status: Order['status'],
  deliveredDaysAgo: number | null = null,
): Order => {
  return { item, priceUsd, status, address: '1 Old Lane', deliveredDaysAgo, refundedUsd: 0 }
}

/** What the shop looks like when a customer calls. */
export const opening: Shop = {
  orders: {
    'A-100': order('a bookshelf', 80, 'in preparation'),
    'A-200': order('a lamp', 25, 'shipped'),
    'A-300': order('a kettle', 40, 'delivered', 10),
    'A-400': order('a chair', 60, 'delivered', 45),
  },
}

/** The shop with one order changed. */
export function changed({ orders }: Shop, number: string, change: Partial<Order>): Shop {
  const before = orders[number]
  return before === undefined ? { orders } : { orders: { ...orders, [number]: { ...before, ...change } } }
}

const text = { type: 'string' }

function inputOf(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

/** A tool that changes an order. It knows nothing of the policy: that is what the agent is there for. */
function changing(description: string, more: JsonObject, change: (input: JsonObject, order: Order) => Partial<Order>) {
  return {
    description,
    input: inputOf({ order: text, ...more }),
    run(input: JsonObject, shop: Shop) {
      const number = String(input['order'])
      const found = shop.orders[number]
      if (found === undefined) return { error: `There is no order ${number}.` }
      return { result: 'done', state: changed(shop, number, change(input, found)) }
    },
  }
}

/** The tools of the shop. Each trial begins with the same orders, and has them for itself. */
const shop = {
  name: 'shop',
  state: opening,
  tools: {
    find_order: {
      description: 'Shows an order.',
      input: inputOf({ order: text }),
      run({ order: number }: JsonObject, { orders }: Shop) {
        const found = orders[String(number)]
        return found === undefined ? { error: `There is no order ${number}.` } : { result: { ...found } }
      },
    },
    cancel_order: changing('Cancels an order.', {}, () => ({ status: 'cancelled' })),
    refund_order: changing('Pays the price of an order back.', {}, (_, { priceUsd }) => ({ refundedUsd: priceUsd })),
    change_address: changing('Sends an order to another address.', { address: text }, ({ address }) => {
      return { address: String(address) }
    }),
  },
}

/** The shop on an ordinary day. */
export const calmShop = mcpFixture<Shop>(shop)

/** The shop on a bad day: the first try to cancel an order, and the first to change an address, fails. */
export const troubledShop = mcpFixture<Shop>({
  ...shop,
  faults: ['cancel_order', 'change_address'].map((tool) => ({ tool, nth: 1, error: 'The database does not answer.' })),
})
