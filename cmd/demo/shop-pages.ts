/**
 * The demo shop's pages. They contain fixed texts and numbers only, nothing that a visitor sent.
 */

import { slotTemplate } from "../../node/gate/slot-template.ts";
import html from "./shop.html" with { type: "text" };

interface Product {
  /** Also the id of its drawing in products.svg. */
  readonly id: string;
  readonly name: string;
  readonly price: number;
  readonly text: string;
}

const PRODUCTS: readonly Product[] = [
  { id: "mug", name: "Terracotta mug", price: 24, text: "Thrown by hand, dipped once in milk-white glaze." },
  {
    id: "teapot",
    name: "Quay teapot",
    price: 68,
    text: "Stoneware the colour of the harbour in March, for four cups.",
  },
  { id: "lamp", name: "Reading lamp", price: 120, text: "Warm light under a linen shade, on a cast-iron foot." },
  { id: "chair", name: "Net-maker's chair", price: 210, text: "Ash and wool. Sits straight, wears well." },
  { id: "blanket", name: "Deck blanket", price: 95, text: "Three shades of madder red, woven from local wool." },
  { id: "plant", name: "Window plant", price: 32, text: "An easy one, in a clay pot that breathes." },
];

/** What the waiting page wears: the shop's name, and the colours of shop.css. */
export const SHOP_BRAND = { title: "Harbour Goods", accent: "#9a4425", background: "#faf7f2" };

/** What every page shows besides its content. */
export interface Around {
  /** Visitors in the shop now, this one included. */
  readonly inside: number;
  /** Ids of the products in the cart, one for each piece. */
  readonly cart: readonly string[];
  /** How long after its last request a visitor counts as inside. */
  readonly sessionMs: number;
}

/** Signals that an open page sends within a session: one may be lost. */
const STAYS_PER_SESSION = 3;

const fill = slotTemplate<"title" | "inside" | "cart" | "content" | "visit" | "intervalMs">(String(html));

export function frontPage(around: Around): string {
  return page("The spring drop", SHELF, around);
}

/** The page of one product; undefined when there is none of that id. */
export function productPage(id: string, around: Around): string | undefined {
  const product = productOf(id);
  if (product === undefined) return undefined;
  const content = `<div class="product">
${picture(product)}
<div>
<h1>${product.name}</h1>
<p>${product.text}</p>
<p class="soft">${money(product.price)} · few left</p>
<form method="post" action="/cart"><button name="product" value="${product.id}">Add to cart</button></form>
</div>
</div>`;
  return page(product.name, content, around);
}

export function cartPage(around: Around): string {
  const products = PRODUCTS.filter(({ id }) => around.cart.includes(id));
  if (products.length === 0)
    return page(
      "Your cart",
      '<h1>Your cart is empty</h1>\n<p class="lead"><a href="/">Back to the shop</a></p>',
      around,
    );
  let total = 0;
  const lines = products.map(({ id, name, price }) => {
    const pieces = around.cart.filter((each) => each === id).length;
    total += pieces * price;
    return `<li><a href="/product/${id}">${name}</a><span>${pieces} × ${money(price)}</span></li>`;
  });
  const content = `<h1>Your cart</h1>
<ul class="lines">
${lines.join("\n")}
<li><strong>Total</strong><strong>${money(total)}</strong></li>
</ul>`;
  return page("Your cart", content, around);
}

export function missingPage(around: Around): string {
  return page("Not found", '<h1>Not on our shelves</h1>\n<p class="lead"><a href="/">Back to the shop</a></p>', around);
}

/** Whether the shop sells a product of that id. */
export function sells(id: string): boolean {
  return productOf(id) !== undefined;
}

const SHELF = `<h1>The spring drop</h1>
<p class="lead">Six things for the house, made in small numbers and sold on one day a year.</p>
<ul class="products">
${PRODUCTS.map(
  (product) =>
    `<li><a href="/product/${product.id}">${picture(product)}<span class="name">${product.name}</span><span class="soft">${money(product.price)}</span></a></li>`,
).join("\n")}
</ul>`;

function page(title: string, content: string, { inside, cart, sessionMs }: Around): string {
  return fill({
    title,
    content,
    inside: inside === 1 ? "1 person is in the shop now" : `${inside} people are in the shop now`,
    cart: cart.length === 0 ? "" : ` (${cart.length})`,
    visit: `You are inside. Your slot is yours while this page is open; ${Math.ceil(sessionMs / 1_000)} s after you close it, it is free for the next in line.`,
    intervalMs: Math.floor(sessionMs / STAYS_PER_SESSION),
  });
}

function productOf(id: string): Product | undefined {
  return PRODUCTS.find((product) => product.id === id);
}

function picture({ id, name }: Product): string {
  return `<svg class="picture" role="img" aria-label="${name}"><use href="/products.svg#${id}"/></svg>`;
}

function money(amount: number): string {
  return `€ ${amount}`;
}
