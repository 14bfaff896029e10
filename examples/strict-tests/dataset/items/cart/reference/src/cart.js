export class Cart {
  _sum = 0
  add(price) {
    if (!Number.isFinite(price)) throw new RangeError('A price must be a number')
    this._sum += price
  }
  get total() {
    return this._sum
  }
}

export function total(prices) {
  const cart = new Cart()
  for (const price of prices) cart.add(price)
  return cart.total
}
