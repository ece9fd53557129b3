// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.statement;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.rql.alert.AlertDefinition;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.RqlFormatter;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.AlertStatement;
import io.retroscope.rql.ast.Statement.CreateRule;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The statements about alerts. */
public final class AlertStatements {
  private final String text;
  private final Optional<AlertRegister> alerts;
  private final String sender;
  private final Function<String, List<String>> unknownNames;

  /**
   * Creates the statements of one text.
   *
   * @param alerts empty where nothing evaluates alerts
   * @param sender the name of its sender
   * @param unknownNames sentences about the names of a STREAM that no event has named so far
   */
  public AlertStatements(
      String text,
      Optional<AlertRegister> alerts,
      String sender,
      Function<String, List<String>> unknownNames) {
    this.text = text;
    this.alerts = alerts;
    this.sender = sender;
    this.unknownNames = unknownNames;
  }

  /** Executes SHOW ALERTS. */
  public void show(Statement.Show show, RowSink sink) {
    attempt(
        show.range(),
        register -> {
          List<List<Value>> states = register.states();
          CatalogStatements.Table table =
              new CatalogStatements.Table(sink, AlertRegister.COLUMNS.toArray(String[]::new));
          states.forEach(row -> table.row(row.toArray(Value[]::new)));
        });
  }

  /** Runs CREATE ALERT. */
  public void create(CreateRule alert, RowSink sink) {
    AlertDefinition definition = AlertDefinition.of(alert, "", "");
    attempt(
        alert.name().range(),
        register ->
            register.create(definition, RqlFormatter.format(alert), alert.replaces(), sender));
    new CatalogStatements.Table(sink, "created").row(Value.of(definition.name()));
    unknownNames.apply(definition.stream()).forEach(sink::warning);
  }

  /**
   * Executes a statement about one alert.
   *
   * @throws RqlException if there is no such alert, or no alerts at all
   */
  public void run(AlertStatement statement, RowSink sink) {
    String name = statement.name().text();
    attempt(
        statement.name().range(),
        register -> {
          switch (statement.action()) {
            case DESCRIBE -> {
              CatalogStatements.Table table =
                  new CatalogStatements.Table(sink, "property", "value");
              Map<String, Value> properties = register.describe(name);
              properties.forEach((property, value) -> table.row(Value.of(property), value));
              if (properties.get("query") instanceof StringValue stream) {
                unknownNames.apply(stream.value()).forEach(sink::warning);
              }
            }
            case DROP -> {
              register.drop(name, sender);
              new CatalogStatements.Table(sink, "dropped").row(Value.of(name));
            }
            case ACKNOWLEDGE -> {
              List<String> episodes = register.acknowledge(name, statement.item(), sender);
              CatalogStatements.Table table = new CatalogStatements.Table(sink, "acknowledged");
              episodes.forEach(episode -> table.row(Value.of(episode)));
            }
            case MUTE -> {
              long until = register.mute(name, statement.micros(), sender);
              new CatalogStatements.Table(sink, "alert", "mutedUntil")
                  .row(Value.of(name), until(until));
            }
          }
        });
  }

  private static Value until(long micros) {
    return micros == 0 ? NullValue.NULL : Value.of(HlcTimestamp.isoMicros(micros));
  }

  private interface Attempt {
    void run(AlertRegister register);
  }

  private void attempt(SourceRange place, Attempt attempt) {
    AlertRegister register = register(place);
    try {
      attempt.run(register);
    } catch (AlertRefusedException e) {
      throw refused(place, String.valueOf(e.getMessage()), e.advice());
    }
  }

  private AlertRegister register(SourceRange place) {
    return alerts.orElseThrow(
        () -> refused(place, "only a log server has alerts", "send the statement to one"));
  }

  private RqlException refused(SourceRange place, String reason, String advice) {
    return new RqlException(
        text, List.of(ErrorCode.ALERT_REFUSED.at(place, reason).withHelp(advice)));
  }
}
