// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.print;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.core.LayoutBase;
import io.retroscope.rql.print.ValueText;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * A layout with one line per event: the time in UTC, the level, the source, the message and the
 * exception. Control characters are escaped, because messages contain names and texts from
 * untrusted sources. Repeated messages are limited, see {@link FloodGate}. Thread-safe.
 */
public final class LogLayout extends LayoutBase<ILoggingEvent> {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final int MAX_FRAMES = 40;

  private final FloodGate floods = new FloodGate();

  @Override
  public String doLayout(ILoggingEvent event) {
    String kind = event.getLoggerName() + event.getMessage();
    long left = floods.leftOut(kind, event.getTimeStamp());
    if (left == FloodGate.SHUT) {
      return "";
    }
    String name = event.getLoggerName();
    StringBuilder line = new StringBuilder(TIME.format(Instant.ofEpochMilli(event.getTimeStamp())));
    line.append(' ').append(String.format(Locale.ROOT, "%-5s", event.getLevel())).append(' ');
    line.append(name.substring(name.lastIndexOf('.') + 1)).append(": ");
    line.append(ValueText.printable(String.valueOf(event.getFormattedMessage())));
    if (left > 0) {
      line.append(" (").append(left).append(" more like this were left out)");
    }
    for (IThrowableProxy e = event.getThrowableProxy(); e != null; e = e.getCause()) {
      append(line, e);
    }
    return line.append(System.lineSeparator()).toString();
  }

  private static void append(StringBuilder line, IThrowableProxy e) {
    line.append(" | ").append(e.getClassName());
    line.append(": ").append(ValueText.printable(String.valueOf(e.getMessage())));
    StackTraceElementProxy[] frames = e.getStackTraceElementProxyArray();
    for (int i = 0; i < Math.min(MAX_FRAMES, frames.length - e.getCommonFrames()); i++) {
      line.append(" | ").append(frames[i].getSTEAsString());
    }
  }
}
