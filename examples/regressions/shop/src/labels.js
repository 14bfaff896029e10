export const labels = { total: 'Total', tax: 'Tax' }
