// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.jdbc;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.context.HlcContext;
import java.util.OptionalLong;

/**
 * A stamp in a comment at the end of an SQL statement: {@code SELECT 1
 * /*x-hlc='1795200000000000.3'*}{@code /}. Databases write statements with their comments into
 * their logs, from which {@link #stampOf} reads the stamp. Thread-safe; no method throws.
 */
public final class HlcComment {
  private static final String BEGIN = "/*" + HlcContext.HEADER + "='";
  private static final String END = "'*/";

  private HlcComment() {}

  /** A statement with a packed stamp. */
  public static String append(String sql, long hlc) {
    return sql + " " + BEGIN + HlcTimestamp.text(hlc) + END;
  }

  /** The packed stamp of a statement; empty if its last comment of this kind has none. */
  public static OptionalLong stampOf(String sql) {
    int begin = sql.lastIndexOf(BEGIN);
    int end = begin < 0 ? -1 : sql.indexOf(END, begin);
    return end < 0
        ? OptionalLong.empty()
        : HlcContext.parse(sql.substring(begin + BEGIN.length(), end));
  }
}
