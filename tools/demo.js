'use strict';
/*
 * What recordings of Node.js are made of: a shop that caches too much. It is compiled under a made-up URL, so that
 * recordings show the same names wherever they are made. Plain Node.js 14 or later, no packages.
 */
const vm = require('vm');

const demoSource = String.raw`
(function startDemo() {
  'use strict';

  class Article {
    constructor(number) {
      this.number = number;
      this.title = 'Artikel ' + number + ' – größer & süßer';
      this.price = number * 1.17;
      this.tags = ['été', '日本', '😀', '👩‍💻'];
    }
    get label() { return this.title + ' (' + this.price.toFixed(2) + ' €)'; }
  }

  // Nothing shows these any more, and something still holds them.
  class DetachedView {
    constructor(article) {
      this.parent = null;
      this.article = article;
      this.listeners = [() => article.label];
    }
  }

  const cache = new Map();
  const detached = [];
  const sessions = new WeakMap();
  const odd = {
    emoji: '😀😃😄 ' + '👨‍👩‍👧‍👦',
    loneHigh: 'high \uD83D alone',
    loneLow: 'low \uDE00 alone',
    swapped: '\uDE00\uD83D',
    nul: 'before\u0000after',
    controls: '\u0001\b\t\n\f\r\u001f\u007f\u0085\u2028\u2029',
    quotes: 'say "yes" \\ or \'no\' </script>',
    long: 'ab cd ef '.repeat(600),
    accents: 'àéîõü ÀÉÎÕÜ ñ ß œ',
    empty: '',
    symbol: Symbol('✓ symbol'),
    big: 123456789012345678901234567890n,
    floats: [0.5, -0, NaN, Infinity, 1e300],
    bytes: new Uint8Array(64).fill(7),
    pattern: /gr(ö|oe)ße\s+\d+/giu,
    sliced: 'The quick brown fox jumps over the lazy dog'.slice(4, 30),
  };
  // Flat copies: only those are strings of the heap under their own text.
  for (const key of Object.keys(odd)) {
    if (typeof odd[key] === 'string')
      cache.set(odd[key], key);
  }

  let number = 0;

  function makeOrder() {
    const article = new Article(++number);
    const order = { article, amount: number % 7, at: new Date(1700000000000 + number * 1000) };
    sessions.set(article, { visits: number });
    cache.set('order-' + number, order); // the leak
    if (number % 5 === 0)
      detached.push(new DetachedView(article));
    return order;
  }

  function parseOrders(text) {
    return JSON.parse(text).map((o) => o.amount * o.price);
  }

  function sortPrices(prices) {
    return prices.slice().sort((a, b) => a - b);
  }

  function fibonacci(n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
  }

  function descend(depth) {
    return fibonacci(13) + (depth === 0 ? 0 : descend(depth - 1));
  }

  const größeBerechnen = function größeBerechnen(values) {
    let sum = 0;
    for (let round = 0; round < 20; round++) {
      for (const value of values)
        sum += Math.sqrt(value + round);
    }
    return sum;
  };

  function renderPage(orders) {
    let html = '';
    for (let copy = 0; copy < 300; copy++) {
      for (const order of orders)
        html += '<li>' + order.article.label + ' × ' + order.amount + '</li>';
    }
    return html.length;
  }

  const chunkText = JSON.stringify(Array.from({ length: 3000 },
                                              (_, i) => ({ amount: i % 9, price: i * 1.3 })));
  let recent = [];

  return function tick() {
    recent = [];
    for (let i = 0; i < 4; i++)
      recent.push(makeOrder());
    const prices = sortPrices(parseOrders(chunkText));
    return fibonacci(18) + größeBerechnen(prices) + renderPage(recent) + descend(30) +
           (() => odd.long.split(' ').length)();
  };
})()
`;

/** A function that does a few milliseconds of work and leaks a little. */
module.exports = () => vm.runInThisContext(demoSource, { filename: 'https://shop.example.org/assets/chunk-vendors.js' });
