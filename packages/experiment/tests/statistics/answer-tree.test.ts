import { answerTreeLevel, lookPower } from '@jurist/experiment/compare'
import { gainPValue } from '@jurist/experiment/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'

/** Counted with whole numbers and 40 digits in Python: items, looks, acceptances, level, the power for 5, 10 and 20 points. */
const counted: readonly (readonly number[])[] = [
  [100, 10, 0, 0.0025, 0.04625145127725436, 0.2250268543544613, 0.8116270133600741],
  [100, 10, 1, 0.0002777777777777778, 0.00833388583170748, 0.07437800862729732, 0.5987197018959495],
  [100, 10, 2, 5.208333333333334e-5, 0.0009961833901105165, 0.024980156317615153, 0.390558870684783],
  [100, 20, 0, 0.00125, 0.027567207491903632, 0.15155919366657006, 0.7512072282165551],
  [100, 20, 1, 6.578947368421052e-5, 0.0018791790639318322, 0.029615659375604, 0.4204897640933995],
  [100, 20, 2, 5.482456140350877e-6, 6.507255064130995e-5, 0.005307457165555588, 0.20145758345448572],
  [100, 50, 0, 0.0005, 0.015063690111000491, 0.1018257524587597, 0.6561310468791042],
  [100, 50, 1, 1.0204081632653061e-5, 0.00016508443665131381, 0.008469102114845606, 0.2439611445760477],
  [100, 50, 2, 3.1887755102040816e-7, 8.824858508486992e-7, 0.000572880183849992, 0.06199909278085995],
  [100, 200, 0, 0.000125, 0.003746123616222639, 0.04271898867355811, 0.4803517522746817],
  [100, 200, 1, 6.28140703517588e-7, 2.811332892752525e-6, 0.0010031423802247235, 0.08127653091464909],
  [100, 200, 2, 4.75864169331506e-9, 2.826930169025055e-10, 9.253209369719884e-6, 0.0072409464025274374],
  [200, 10, 0, 0.0025, 0.19332779590974108, 0.6061358736061327, 0.9957731427016376],
  [200, 10, 1, 0.0002777777777777778, 0.06359188485333425, 0.35211032177731777, 0.9749756154282984],
  [200, 10, 2, 5.208333333333334e-5, 0.021262450886191924, 0.1919607998126539, 0.9339694865148177],
  [200, 20, 0, 0.00125, 0.1317903612104986, 0.5217924205897014, 0.9918293860703328],
  [200, 20, 1, 6.578947368421052e-5, 0.024687932813305447, 0.2207266075290597, 0.9406594468715141],
  [200, 20, 2, 5.482456140350877e-6, 0.004668801461463509, 0.0828498848918123, 0.825594270555541],
  [200, 50, 0, 0.0005, 0.0868185998271897, 0.4116656843982882, 0.9829386174540815],
  [200, 50, 1, 1.0204081632653061e-5, 0.0072892463502331264, 0.10328044193624603, 0.8605672722885427],
  [200, 50, 2, 3.1887755102040816e-7, 0.0005189116185864102, 0.02220383926330185, 0.6146921501137843],
  [200, 200, 0, 0.000125, 0.035348386933417554, 0.26894341247108294, 0.958548808061298],
  [200, 200, 1, 6.28140703517588e-7, 0.0008724228412267724, 0.0303680429684509, 0.6909325769914826],
  [200, 200, 2, 4.75864169331506e-9, 1.2801840804098158e-5, 0.002145915620129311, 0.2990695947834591],
  [400, 10, 0, 0.0025, 0.5436626202121025, 0.9566687901178398, 0.9999997505358532],
  [400, 10, 1, 0.0002777777777777778, 0.2938411246773522, 0.855606170232735, 0.9999935697265762],
  [400, 10, 2, 5.208333333333334e-5, 0.1562350093651344, 0.7286657913860134, 0.9999540292469379],
  [400, 20, 0, 0.00125, 0.45828168417323545, 0.9322196439896399, 0.9999992673238298],
  [400, 20, 1, 6.578947368421052e-5, 0.1757946181220925, 0.7494364736942866, 0.9999659986128242],
  [400, 20, 2, 5.482456140350877e-6, 0.06284265852866616, 0.5254039118795868, 0.9996285241990418],
  [400, 50, 0, 0.0005, 0.3508908993005266, 0.8871483298203756, 0.9999971449703794],
  [400, 50, 1, 1.0204081632653061e-5, 0.0790025464641105, 0.5853731175195399, 0.9997909987499723],
  [400, 50, 2, 3.1887755102040816e-7, 0.01566735089178613, 0.29390820122395045, 0.9971421547403256],
  [400, 200, 0, 0.000125, 0.2220159569764165, 0.7956643749528179, 0.9999832975457044],
  [400, 200, 1, 6.28140703517588e-7, 0.022869000804476267, 0.3435985243680719, 0.9981582361567628],
  [400, 200, 2, 4.75864169331506e-9, 0.0014732020479687688, 0.09267392356726559, 0.974476019247315],
]

test('levels to 1e-12 and the power of a look to 1e-9', () => {
  for (const [items = 0, looks = 0, accepted = 0, wanted = 0, ...powers] of counted) {
    const level = answerTreeLevel({ looks, accepted })
    expect(Math.abs(level / wanted - 1)).toBeLessThan(1e-12)
    for (const [place, [better, worse]] of gains.entries())
      expect(Math.abs(lookPower({ items, better, worse, level }) - (powers[place] ?? 0))).toBeLessThan(1e-9)
  }
})

const gains = [
  [0.08, 0.03],
  [0.15, 0.05],
  [0.25, 0.05],
] as const

test('the levels of all places add up to less than alpha, whatever the number of looks', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), fc.double({ min: 0.001, max: 0.2, noNaN: true }), (looks, alpha) => {
      let [places, sum] = [1, 0]
      for (let accepted = 0; accepted < looks; accepted += 1) {
        places *= (looks - accepted) / (accepted + 1)
        sum += places * answerTreeLevel({ looks, accepted, alpha })
      }
      expect(sum).toBeLessThanOrEqual(alpha * (1 + 1e-9))
      expect(Math.abs(sum / alpha - (1 - 0.5 ** looks))).toBeLessThan(1e-9)
    }),
  )
})

test('the p value of a gain is the share of flips that give as much, and never too small where it is bounded', () => {
  expect(gainPValue([1, 1, 1, 1, 1, 1, 1, 1, 1])).toBeCloseTo(0.00195, 5)
  expect(gainPValue(Array.from({ length: 10 }, () => 1))).toBeLessThan(answerTreeLevel({ looks: 20, accepted: 0 }))
  const size = fc.integer({ min: -3, max: 3 }).map((third) => third / 3)
  fc.assert(
    fc.property(fc.array(size, { maxLength: 12 }), (differences) => {
      const sum = differences.reduce((total, one) => total + one, 0)
      fc.pre(sum > 1e-9)
      let reached = 0
      for (let flips = 0; flips < 2 ** differences.length; flips += 1) {
        const flipped = differences.reduce((total, one, place) => total + ((flips >> place) & 1 ? -one : one), 0)
        if (flipped >= sum - 1e-9) reached += 1
      }
      expect(gainPValue(differences)).toBeCloseTo(reached / 2 ** differences.length, 10)
    }),
  )
  // Sizes without a common fraction, so many that they are not counted: the bound lies above the normal limit.
  const odd = Array.from({ length: 600 }, (_, place) => Math.sqrt(place + 2) * (place % 5 === 0 ? -1 : 1) * 0.01)
  const z = odd.reduce((a, b) => a + b, 0) / Math.sqrt(odd.reduce((a, b) => a + b * b, 0))
  expect(gainPValue(odd)).toBeCloseTo(Math.exp(-(z ** 2) / 2), 12)
})

test('what makes no sense is refused', () => {
  const level = 0.01
  for (const wrong of [
    () => answerTreeLevel({ looks: 3, accepted: 3 }),
    () => answerTreeLevel({ looks: 2.5, accepted: 0 }),
    () => answerTreeLevel({ looks: 3, accepted: 0, alpha: 0 }),
    () => lookPower({ items: -1, better: 0.1, worse: 0.1, level }),
    () => lookPower({ items: 10, better: 0.9, worse: 0.2, level }),
    () => lookPower({ items: 10, better: 0.1, worse: 0.1, level: 0.5 }),
  ])
    expect(wrong).toThrow(expect.objectContaining({ code: 'statistic-invalid' }))
})
