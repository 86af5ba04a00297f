// Which articles of 40000 orders are sold? FIXED=1 runs the remedy.
const sold = Array.from({ length: 3000 }, (_, i) => 'article-' + i);
const known = new Set(sold);

function isSold(order) {
  if (process.env.FIXED === '1') return known.has(order.article);
  return sold.indexOf(order.article) >= 0;
}
function parseOrder(n) {
  return JSON.parse('{"id": ' + n + ', "article": "article-' + n % 4000 + '"}');
}
function main() {
  const orders = Array.from({ length: 40000 }, (_, n) => parseOrder(n));
  return Array.from(orders, isSold);
}
main();
