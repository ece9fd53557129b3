// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import io.retroscope.rql.parser.RqlToken;
import org.jline.reader.Highlighter;
import org.jline.reader.LineReader;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/** A highlighter of keywords, strings, numbers and comments. */
final class RqlHighlighter implements Highlighter {
  private static final AttributedStyle PLAIN = AttributedStyle.DEFAULT;

  private final boolean color;

  RqlHighlighter(boolean color) {
    this.color = color;
  }

  @Override
  public AttributedString highlight(LineReader reader, String buffer) {
    if (!color) {
      return new AttributedString(buffer);
    }
    if (buffer.stripLeading().startsWith("\\")) {
      return new AttributedString(buffer, PLAIN.bold());
    }
    AttributedStringBuilder styled = new AttributedStringBuilder();
    int end = 0;
    for (RqlToken token : RqlToken.of(buffer)) {
      styled.append(buffer.substring(end, token.range().start()));
      styled.styled(style(token.kind()), token.text());
      end = token.range().end();
    }
    return styled.append(buffer.substring(end)).toAttributedString();
  }

  private static AttributedStyle style(RqlToken.Kind kind) {
    return switch (kind) {
      case KEYWORD -> PLAIN.bold().foreground(AttributedStyle.BLUE);
      case STRING -> PLAIN.foreground(AttributedStyle.GREEN);
      case NUMBER -> PLAIN.foreground(AttributedStyle.CYAN);
      case COMMENT -> PLAIN.foreground(AttributedStyle.BRIGHT + AttributedStyle.BLACK);
      case UNTERMINATED -> PLAIN.foreground(AttributedStyle.YELLOW);
      case NAME, QUOTED_NAME, SYMBOL, SEMICOLON -> PLAIN;
    };
  }
}
