import { error, fail, majority, type Vote } from 'jurist'

/** The majority decides, unless the named member fails or breaks. */
export function veto(member: string): Vote {
  const others = majority()
  return function vetoVote(ballots) {
    const judgment = ballots.find(({ name }) => name === member)?.judgment
    if (judgment?.status === 'fail') return fail(`${member} objects: ${judgment.reasoning}`)
    if (judgment?.status === 'error')
      return error(`${member} could not be asked: ${judgment.reasoning}`, judgment.failure)
    return others(ballots)
  }
}
