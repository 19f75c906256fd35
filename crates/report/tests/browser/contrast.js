// What has too little contrast (WCAG 2.2: 1.4.3 of text, 1.4.11 of graphics), as [what, colour, behind, ratio].
(() => {
  const wrong = [];
  let looked = 0;
  const colour = (text) => {
    const [red, green, blue, alpha = 1] = text.match(/[\d.]+/g).map(Number);
    return { channels: [red, green, blue], alpha };
  };
  const over = (top, bottom) => top.channels.map((it, at) => it * top.alpha + bottom[at] * (1 - top.alpha));
  const luminance = (channels) => channels
    .map((it) => it / 255)
    .map((it) => (it <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4))
    .reduce((sum, it, at) => sum + it * [0.2126, 0.7152, 0.0722][at], 0);
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const ancestors = (element) => (element ? [element, ...ancestors(element.parentElement)] : []);
  const behind = (element) => ancestors(element)
    .map((it) => colour(getComputedStyle(it).backgroundColor))
    .reduceRight((bottom, it) => over(it, bottom), matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255]);
  const opacity = (element) => ancestors(element).reduce((all, it) => all * Number(getComputedStyle(it).opacity), 1);
  function look(what, paint, alpha, backs, least) {
    looked++;
    for (const back of backs) {
      const { channels, alpha: own } = colour(paint);
      const seen = over({ channels, alpha: own * alpha }, back);
      if (contrast(seen, back) < least) wrong.push([what, paint, back.map(Math.round).join(), contrast(seen, back).toFixed(2)]);
    }
  }
  const named = (element) => ancestors(element).slice(0, 3).map((it) => `${it.tagName}.${it.getAttribute("class") ?? ""}`).join(" < ");

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || ["SCRIPT", "STYLE", "title"].includes(element.tagName)) continue;
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 700;
    const large = size >= 24 || (bold && size >= 18.66);
    look(`${named(element)}: ${node.textContent.trim().slice(0, 30)}`, element.closest("svg") ? style.fill : style.color,
      opacity(element), [behind(element)], large ? 3 : 4.5);
  }
  for (const name of document.querySelectorAll(".b")) {
    if (name.checkVisibility()) look("a marker", getComputedStyle(name, "::before").backgroundColor, opacity(name), [behind(name)], 3);
  }
  for (const button of document.querySelectorAll("thead button")) {
    if (!button.checkVisibility()) continue;
    look("an arrow of sorting", getComputedStyle(button, "::after").color, opacity(button), [behind(button)], 4.5);
  }
  for (const element of document.querySelectorAll("svg :is(.line, .whisker, .bar, .dots, .floor, .one, .edge, use)")) {
    if (!element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const margin = element.closest("svg").querySelector(".margin");
    const backs = [behind(element), ...(margin ? [colour(getComputedStyle(margin).fill).channels] : [])];
    for (const [paint, alpha] of [[style.fill, style.fillOpacity], [style.stroke, style.strokeOpacity]]) {
      if (paint !== "none") look(named(element), paint, opacity(element) * Number(alpha), backs, 3);
    }
  }
  return [looked, [...new Set(wrong.map((it) => it.join("; ")))]];
})()
