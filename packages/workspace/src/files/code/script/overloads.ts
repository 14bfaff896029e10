import type { Member } from '../declaration.js'

/**
 * Makes one member of overloads and their implementation, which stand in the order they have; everything else stays as
 * it is. `isOverloadable` says which members may have namesakes.
 */
export function withOverloadsJoined(
  members: readonly Member[],
  isOverloadable: (member: Member) => boolean,
): readonly Member[] {
  const joined = new Map<string, Member>()
  for (const [index, member] of members.entries()) {
    const identity = isOverloadable(member) ? `${member.sort}\0${member.key}` : String(index)
    const former = joined.get(identity)
    joined.set(identity, former === undefined ? member : join(former, member))
  }
  return [...joined.values()]
}

function join(former: Member, latter: Member): Member {
  const parts = former.parts.map((part, index) => {
    const more = latter.parts[index]
    return more === undefined ? part : { ...part, items: [...part.items, ...more.items], end: more.end }
  })
  return { ...former, last: latter.last, parts }
}
