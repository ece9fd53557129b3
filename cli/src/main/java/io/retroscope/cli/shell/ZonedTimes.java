// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import io.retroscope.event.Value;
import io.retroscope.event.Value.StringValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** The times in the automatic columns of rows, as a zone has them. Used by one thread. */
final class ZonedTimes {
  private static final DateTimeFormatter FORMAT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSxxx", Locale.ROOT);

  private static final Pattern INSTANT = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z");

  private final ZoneId zone;
  private List<Column> columns = List.of();

  ZonedTimes(ZoneId zone) {
    this.zone = zone;
  }

  void columns(List<Column> all) {
    columns = all;
  }

  /** Returns a row with its times in the zone. */
  Row row(Row row) {
    List<Value> values = new ArrayList<>(row.values());
    for (int i = 0; i < values.size() && i < columns.size(); i++) {
      if (columns.get(i).automatic() && values.get(i) instanceof StringValue time) {
        values.set(i, Value.of(inZone(time.value())));
      }
    }
    return new Row(row.hlc(), row.ordinal(), values, row.note());
  }

  private String inZone(String text) {
    if (!INSTANT.matcher(text).matches()) {
      return text;
    }
    try {
      return FORMAT.format(Instant.parse(text).atZone(zone));
    } catch (DateTimeParseException e) {
      return text;
    }
  }
}
