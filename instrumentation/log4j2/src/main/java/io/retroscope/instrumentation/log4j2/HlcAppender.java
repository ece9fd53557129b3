// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.log4j2;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.recorder.ExceptionFields;
import io.retroscope.recorder.FieldFilter;
import io.retroscope.recorder.LineDraft;
import io.retroscope.recorder.Recorder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.Core;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.AppenderControl;
import org.apache.logging.log4j.core.config.AppenderRef;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.Property;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.config.plugins.PluginBuilderAttribute;
import org.apache.logging.log4j.core.config.plugins.PluginBuilderFactory;
import org.apache.logging.log4j.core.config.plugins.PluginElement;
import org.apache.logging.log4j.core.impl.ContextDataFactory;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.MapMessage;
import org.apache.logging.log4j.util.StringMap;
import org.jspecify.annotations.Nullable;

/**
 * An appender that records every log event as a log line: its text, its level and logger, its SLF4J
 * key-value pairs or the pairs of its {@code MapMessage}, its exception as {@link ExceptionFields},
 * and the entries of the MDC that {@code mdc} names. The appenders it refers to are then called
 * with the line's stamp in the event's context data, under {@value #MDC_KEY}; they get every event,
 * even one that cannot be recorded. Thread-safe.
 *
 * <pre>{@code
 * <Retroscope name="RETROSCOPE" log="app" mdc="trace_id" exclude="*password*, *token*">
 *   <AppenderRef ref="CONSOLE"/>
 * </Retroscope>
 * }</pre>
 *
 * <p>HAZARD: Log4j's SLF4J binding converts the values of pairs to text. Text in exactly the form
 * in which Java prints a long, a finite double or a boolean is recorded as that type, unless {@code
 * guessTypes="false"}; a string that only looks like a number becomes a number as well. A {@code
 * MapMessage} keeps its values' types.
 *
 * <p>HAZARD: a line's stamp is taken when the appender is called. Nest asynchronous appenders
 * inside it; with asynchronous loggers stamps are late, and pairs cannot be distinguished from the
 * MDC.
 *
 * <p>Each line costs one stamp and one event, in the thread that logs, and waits for nothing. No
 * error of the recorder reaches the service; the reason is in Log4j's status messages.
 */
@Plugin(
    name = "Retroscope",
    category = Core.CATEGORY_NAME,
    elementType = Appender.ELEMENT_TYPE,
    printObject = true)
public final class HlcAppender extends AbstractAppender {
  /**
   * The context data key of the line's stamp, {@code <micros>.<logical>}, for the appenders
   * referred to.
   */
  public static final String MDC_KEY = "hlc";

  private final @Nullable Recorder recorder;
  private final String log;
  private final FieldFilter fields;
  private final Optional<FieldFilter> mdc;
  private final boolean guessTypes;
  private final Configuration configuration;
  private final List<AppenderRef> references;
  private final List<AppenderControl> inside = new ArrayList<>();

  private HlcAppender(Builder builder, @Nullable Recorder recorder) {
    super(
        builder.getName(),
        builder.getFilter(),
        null,
        builder.isIgnoreExceptions(),
        Property.EMPTY_ARRAY);
    this.recorder = recorder;
    this.log = builder.log;
    this.fields = builder.filter(builder.include);
    this.mdc = Optional.ofNullable(builder.mdc).map(builder::filter);
    this.guessTypes = builder.guessTypes;
    this.configuration = builder.getConfiguration();
    this.references = List.of(builder.references);
  }

  /** A builder that Log4j fills from its configuration. */
  @PluginBuilderFactory
  public static Builder newBuilder() {
    return new Builder();
  }

  @Override
  public void start() {
    for (AppenderRef reference : references) {
      Appender appender = configuration.getAppender(reference.getRef());
      if (appender == null) {
        LOGGER.error("Retroscope appender {}: no appender named {}", getName(), reference.getRef());
      } else {
        inside.add(new AppenderControl(appender, reference.getLevel(), reference.getFilter()));
      }
    }
    FluentPairs.watch(configuration);
    super.start();
  }

  @Override
  public void append(LogEvent event) {
    Recorder to = recorder;
    if (to == null) {
      callInside(event);
      return;
    }
    long hlc;
    try {
      hlc = record(to, event);
    } catch (RuntimeException | LinkageError e) {
      to.missed();
      LOGGER.warn("Retroscope appender {} could not record a log event", getName(), e);
      hlc = to.tick();
    }
    callInside(event, hlc);
  }

  private long record(Recorder to, LogEvent event) {
    LineDraft line =
        to.log(log)
            .line(event.getMessage().getFormattedMessage())
            .with("level", event.getLevel().name())
            .with("logger", event.getLoggerName());
    if (event.getThrown() != null) {
      ExceptionFields.of(event.getThrown()).addTo(line, fields);
    }
    if (mdc.isPresent()) {
      event.getContextData().forEach((name, value) -> add(line, mdc.get(), name, guessed(value)));
    }
    FluentPairs.of(event).forEach((name, value) -> add(line, fields, name, guessed(value)));
    if (event.getMessage() instanceof MapMessage<?, ?> message) {
      message.forEach((name, value) -> add(line, fields, name, value));
    }
    return line.record();
  }

  private static void add(LineDraft line, FieldFilter wanted, String name, @Nullable Object value) {
    if (wanted.accepts(name)) {
      var unused = line.with(name, value);
    }
  }

  private @Nullable Object guessed(@Nullable Object value) {
    return guessTypes && value instanceof String text ? TextTypes.guess(text) : value;
  }

  private void callInside(LogEvent event, long hlc) {
    if (inside.isEmpty()) {
      return;
    }
    StringMap context = ContextDataFactory.createContextData(event.getContextData());
    context.putValue(MDC_KEY, HlcTimestamp.text(hlc));
    LogEvent stamped = new Log4jLogEvent.Builder(event).setContextData(context).build();
    callInside(stamped);
  }

  private void callInside(LogEvent event) {
    for (AppenderControl control : inside) {
      control.callAppender(event);
    }
  }

  /** Filled by Log4j; each attribute of the configuration has the name of its field. */
  public static final class Builder extends AbstractAppender.Builder<Builder>
      implements org.apache.logging.log4j.core.util.Builder<HlcAppender> {
    @PluginBuilderAttribute private String log = "app";
    @PluginBuilderAttribute private String include = "*";
    @PluginBuilderAttribute private @Nullable String mdc;
    @PluginBuilderAttribute private @Nullable String exclude;
    @PluginBuilderAttribute private boolean guessTypes = true;

    @PluginElement("AppenderRef")
    private AppenderRef[] references = {};

    /** The log of the lines; {@code app} by default. */
    public Builder setLog(String log) {
      this.log = log;
      return this;
    }

    /**
     * The pairs and fields of exceptions that are recorded: patterns with {@code *}, separated by
     * commas.
     */
    public Builder setInclude(String patterns) {
      this.include = patterns;
      return this;
    }

    /** The entries of the MDC that are also recorded, none by default: patterns as above. */
    public Builder setMdc(String patterns) {
      this.mdc = patterns;
      return this;
    }

    /**
     * Names that are not recorded: patterns that replace the defaults, which exclude common names
     * of secrets.
     */
    public Builder setExclude(String patterns) {
      this.exclude = patterns;
      return this;
    }

    /**
     * Whether text in the form in which Java prints a number or a boolean is recorded as that type.
     */
    public Builder setGuessTypes(boolean guessTypes) {
      this.guessTypes = guessTypes;
      return this;
    }

    @Override
    public HlcAppender build() {
      Recorder recorder = null;
      try {
        recorder = Recorder.shared();
      } catch (RuntimeException | LinkageError e) {
        LOGGER.error("Retroscope records no log events; the appenders inside are not affected", e);
      }
      return new HlcAppender(this, recorder);
    }

    private FieldFilter filter(String included) {
      FieldFilter filter = FieldFilter.DEFAULT.including(included);
      return exclude == null ? filter : filter.excluding(exclude);
    }
  }
}
