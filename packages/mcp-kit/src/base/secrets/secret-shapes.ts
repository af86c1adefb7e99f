/** How services begin their keys, with the least that follows. A key begins a word: else every part of a long one would be tried. */
const begun = [
  // JSON web tokens, also encrypted ones.
  String.raw`eyJ[\w-]{8,}(?:\.[\w-]+){1,4}`,
  // OpenAI, Anthropic and others; Stripe; webhooks.
  String.raw`sk-[\w-]{12,}`,
  String.raw`(?:sk|rk|pk)_(?:live|test)_\w{10,}`,
  String.raw`whsec_[\w+/=]{10,}`,
  // GitHub, GitLab, Bitbucket and Atlassian.
  String.raw`gh[oprsu]_[\w-]{12,}`,
  String.raw`github_pat_[\w-]{12,}`,
  String.raw`gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas)-[\w.-]{12,}`,
  String.raw`AT(?:ATT|BB|CTT)[\w=-]{20,}`,
  // Slack, Discord, Telegram.
  String.raw`xox[abeoprs]-[\w-]{10,}`,
  String.raw`xapp-[\w-]{10,}`,
  String.raw`[MNO][\w-]{22,27}\.[\w-]{6,7}\.[\w-]{27,}`,
  String.raw`\d{8,10}:AA[\w-]{30,}`,
  // AWS, Google, Azure, DigitalOcean, Cloudflare, Alibaba.
  String.raw`(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b`,
  String.raw`AIza[\w-]{12,}`,
  String.raw`ya29\.[\w-]{12,}`,
  String.raw`GOCSPX-[\w-]{12,}`,
  String.raw`1//0[\w-]{20,}`,
  String.raw`do[opr]_v1_[a-f0-9]{16,}`,
  String.raw`LTAI[A-Za-z0-9]{12,}`,
  // Registries of packages and models.
  String.raw`npm_[A-Za-z0-9]{16,}`,
  String.raw`pypi-[\w-]{16,}`,
  String.raw`rubygems_[a-f0-9]{16,}`,
  String.raw`cio[A-Za-z0-9]{32}\b`,
  String.raw`hf_[A-Za-z0-9]{16,}`,
  String.raw`r8_\w{16,}`,
  String.raw`dckr_(?:pat|oat)_[\w-]{16,}`,
  // Mail, shops, trackers, monitoring, vaults.
  String.raw`SG\.[\w-]{10,}\.[\w-]{10,}`,
  String.raw`key-[a-f0-9]{32}\b`,
  String.raw`(?:AC|SK)[a-f0-9]{32}\b`,
  String.raw`shp(?:at|ca|pa|ss)_[\w-]{16,}`,
  String.raw`sq0[a-z]{3}-[\w-]{16,}`,
  String.raw`lin_(?:api|oauth)_\w{16,}`,
  String.raw`(?:secret|ntn)_[A-Za-z0-9]{30,}`,
  String.raw`PMAK-[\w-]{16,}`,
  String.raw`figd_[\w-]{16,}`,
  String.raw`gl(?:sa|c)_[\w+/=]{16,}`,
  String.raw`dapi[a-f0-9]{32}`,
  String.raw`hv[sbr]\.[\w-]{16,}`,
  String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{16,}`,
  String.raw`sbp_[a-f0-9]{16,}`,
  String.raw`nfp_\w{16,}`,
  String.raw`AGE-SECRET-KEY-1[0-9A-Z]{16,}`,
  // Ours.
  String.raw`mcpk_[\w-]+`,
];

/** A key of one of the services that give theirs a form. */
export const wellKnownKeys: RegExp = new RegExp(`(?<![\\w-])(?:${begun.join('|')})`, 'g');

/** Addresses that are secrets: whoever knows one may post to it. */
export const secretAddresses: RegExp =
  /(\bhttps:\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)|(?:\w{1,10}\.)?discord(?:app)?\.com\/api\/webhooks|[\w-]{1,60}\.webhook\.office\.com\/webhookb2)\/)[^\s"'<>\\]+/gi;
