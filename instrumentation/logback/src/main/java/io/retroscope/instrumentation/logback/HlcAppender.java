// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.logback;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.spi.AppenderAttachable;
import ch.qos.logback.core.spi.AppenderAttachableImpl;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.recorder.ExceptionFields;
import io.retroscope.recorder.FieldFilter;
import io.retroscope.recorder.LineDraft;
import io.retroscope.recorder.Recorder;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.slf4j.event.KeyValuePair;

/**
 * An appender that records every logging event as a log line: its text, its level and logger, its
 * SLF4J key-value pairs with their types, its exception as {@link ExceptionFields}, and the entries
 * of the MDC that {@code mdc} names, as text. Appenders inside it are then called with the line's
 * stamp in the MDC, under {@value #MDC_KEY}; they get every event, even one that cannot be
 * recorded. Thread-safe.
 *
 * <pre>{@code
 * <appender name="RETROSCOPE" class="io.retroscope.instrumentation.logback.HlcAppender">
 *   <log>app</log>
 *   <mdc>trace_id, http.*</mdc>
 *   <exclude>*password*, *token*</exclude>
 *   <appender-ref ref="CONSOLE"/>
 * </appender>
 * }</pre>
 *
 * <p>Each line costs one stamp and one event, in the thread that logs, and waits for nothing. No
 * error of the recorder reaches the service; the reason is in Logback's status messages.
 */
public final class HlcAppender extends UnsynchronizedAppenderBase<ILoggingEvent>
    implements AppenderAttachable<ILoggingEvent> {
  /** The MDC key of the line's stamp, {@code <micros>.<logical>}, for the appenders inside. */
  public static final String MDC_KEY = "hlc";

  private static final ExceptionFields.Reader<IThrowableProxy> EXCEPTIONS =
      new ExceptionFields.Reader<>() {
        @Override
        public String type(IThrowableProxy thrown) {
          return thrown.getClassName();
        }

        @Override
        public @Nullable String message(IThrowableProxy thrown) {
          return thrown.getMessage();
        }

        @Override
        public StackTraceElement[] frames(IThrowableProxy thrown) {
          return Arrays.stream(thrown.getStackTraceElementProxyArray())
              .map(StackTraceElementProxy::getStackTraceElement)
              .toArray(StackTraceElement[]::new);
        }

        @Override
        public @Nullable IThrowableProxy cause(IThrowableProxy thrown) {
          return thrown.getCause();
        }
      };

  private final AppenderAttachableImpl<ILoggingEvent> inside = new AppenderAttachableImpl<>();
  private @Nullable Recorder recorder;
  private String log = "app";
  private FieldFilter fields = FieldFilter.DEFAULT;
  private Optional<FieldFilter> mdc = Optional.empty();

  /** The recorder; by default the process's shared one. Set it before the start. */
  public void setRecorder(Recorder recorder) {
    this.recorder = recorder;
  }

  /** The log of the lines. */
  public void setLog(String log) {
    this.log = log;
  }

  /**
   * The pairs and fields of exceptions that are recorded: patterns with {@code *}, separated by
   * commas.
   */
  public void setInclude(String patterns) {
    fields = fields.including(patterns);
  }

  /** The entries of the MDC that are also recorded, none by default: patterns as above. */
  public void setMdc(String patterns) {
    mdc = Optional.of(fields.including(patterns));
  }

  /**
   * Names that are not recorded: patterns that replace the defaults, which exclude common names of
   * secrets.
   */
  public void setExclude(String patterns) {
    fields = fields.excluding(patterns);
    mdc = mdc.map(names -> names.excluding(patterns));
  }

  /** Starts even without a recorder, because the appenders inside must get every event. */
  @Override
  public void start() {
    if (recorder == null) {
      try {
        recorder = Recorder.shared();
      } catch (RuntimeException | LinkageError e) {
        addError("Retroscope records no log lines; the appenders inside are not affected", e);
      }
    }
    super.start();
  }

  @Override
  protected void append(ILoggingEvent event) {
    Recorder to = recorder;
    if (to == null) {
      inside.appendLoopOnAppenders(event);
      return;
    }
    long hlc;
    try {
      hlc = record(to, event);
    } catch (RuntimeException | LinkageError e) {
      to.missed();
      addWarn("Retroscope could not record a log line", e);
      hlc = to.tick();
    }
    appendInside(event, hlc);
  }

  private long record(Recorder to, ILoggingEvent event) {
    LineDraft line =
        to.log(log)
            .line(event.getFormattedMessage())
            .with("level", event.getLevel().toString())
            .with("logger", event.getLoggerName());
    IThrowableProxy thrown = event.getThrowableProxy();
    if (thrown != null) {
      ExceptionFields.of(thrown, EXCEPTIONS).addTo(line, fields);
    }
    if (mdc.isPresent()) {
      line = withMdc(line, mdc.get());
    }
    if (event.getKeyValuePairs() != null) {
      for (KeyValuePair pair : event.getKeyValuePairs()) {
        if (fields.accepts(pair.key)) {
          line = line.with(pair.key, pair.value);
        }
      }
    }
    return line.record();
  }

  /** Reads the MDC directly, because the event would cache it without the line's stamp. */
  private static LineDraft withMdc(LineDraft line, FieldFilter wanted) {
    Map<String, String> entries = MDC.getCopyOfContextMap();
    if (entries != null) {
      for (Map.Entry<String, String> entry : entries.entrySet()) {
        if (wanted.accepts(entry.getKey())) {
          line = line.with(entry.getKey(), entry.getValue());
        }
      }
    }
    return line;
  }

  private void appendInside(ILoggingEvent event, long hlc) {
    if (!inside.iteratorForAppenders().hasNext()) {
      return;
    }
    String before = MDC.get(MDC_KEY);
    MDC.put(MDC_KEY, HlcTimestamp.text(hlc));
    try {
      inside.appendLoopOnAppenders(event);
    } finally {
      if (before == null) {
        MDC.remove(MDC_KEY);
      } else {
        MDC.put(MDC_KEY, before);
      }
    }
  }

  @Override
  public void stop() {
    inside.detachAndStopAllAppenders();
    super.stop();
  }

  @Override
  public void addAppender(Appender<ILoggingEvent> appender) {
    inside.addAppender(appender);
  }

  @Override
  public Iterator<Appender<ILoggingEvent>> iteratorForAppenders() {
    return inside.iteratorForAppenders();
  }

  @Override
  public @Nullable Appender<ILoggingEvent> getAppender(String name) {
    return inside.getAppender(name);
  }

  @Override
  public boolean isAttached(Appender<ILoggingEvent> appender) {
    return inside.isAttached(appender);
  }

  @Override
  public void detachAndStopAllAppenders() {
    inside.detachAndStopAllAppenders();
  }

  @Override
  public boolean detachAppender(Appender<ILoggingEvent> appender) {
    return inside.detachAppender(appender);
  }

  @Override
  public boolean detachAppender(String name) {
    return inside.detachAppender(name);
  }
}
