// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import static java.time.temporal.ChronoUnit.MICROS;
import static java.time.temporal.ChronoUnit.MILLIS;
import static java.time.temporal.ChronoUnit.SECONDS;

import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;

/**
 * A writer of lines as a system writes them, which knows nothing of the readers under test.
 *
 * @param resolution of the times in the lines
 * @param line makes the line of a time and a message
 * @param continuation lines that follow some entries, each with its end
 */
record LogShape(
    String name,
    ChronoUnit resolution,
    BiFunction<ZonedDateTime, String, String> line,
    String continuation) {
  private static final String TRACE =
      """
      java.io.IOException: broken
      \tat com.acme.Orders.run(Orders.java:42)
      Caused by: java.lang.Error
      \t... 3 more
      """;

  private static final String ISO = "yyyy-MM-dd HH:mm:ss";

  @Override
  public String toString() {
    return name;
  }

  private static String at(ZonedDateTime time, String pattern) {
    return DateTimeFormatter.ofPattern(pattern, Locale.US).format(time);
  }

  private static LogShape lines(
      String name, ChronoUnit resolution, String before, String pattern, String after) {
    return new LogShape(name, resolution, (t, m) -> before + at(t, pattern) + after + m, TRACE);
  }

  private static long epochMicros(ZonedDateTime time) {
    Instant instant = time.toInstant();
    return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
  }

  private static LogShape json(
      String name, ChronoUnit resolution, BiFunction<ZonedDateTime, String, String> line) {
    return new LogShape(name, resolution, line, "panic: a line that is no JSON\n\tat main.go:1\n");
  }

  /** The lines of many systems. */
  static List<LogShape> all() {
    return List.of(
        lines("logback", MILLIS, "", ISO + ".SSS", " [main] INFO  com.acme.Orders - "),
        lines("logback-comma", MILLIS, "", ISO + ",SSS", " [worker-1] DEBUG c.a.Orders - "),
        lines("logback-short", MILLIS, "", "HH:mm:ss.SSS", " [main] INFO com.acme.Orders - "),
        lines("log4j2", MILLIS, "", ISO + ",SSS", " INFO [main] com.acme.Orders: "),
        lines(
            "log4j-utc",
            MILLIS,
            "",
            "yyyy-MM-dd'T'HH:mm:ss.SSSX",
            " WARN  [main] c.a.Orders (Orders.java:12) - "),
        lines(
            "spring-2",
            MILLIS,
            "",
            ISO + ".SSS",
            "  INFO 4711 --- [           main] c.acme.Application   : "),
        lines(
            "spring-3",
            MILLIS,
            "",
            "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
            "  WARN 4711 --- [orders] [io-8080-exec-1] c.acme.Application   : "),
        new LogShape(
            "jul",
            SECONDS,
            (t, m) -> at(t, "MMM d, yyyy h:mm:ss a") + " com.acme.Main main\nINFO: " + m,
            TRACE),
        new LogShape(
            "jul-narrow",
            SECONDS,
            (t, m) ->
                at(t, "MMM d, yyyy h:mm:ss")
                    + "\u202F"
                    + at(t, "a")
                    + " com.acme.Main main\nSEVERE: "
                    + m,
            TRACE),
        lines("python", MILLIS, "", ISO + ",SSS", " - orders - WARNING - "),
        lines("python-colon", MILLIS, "", ISO + ",SSS", ":ERROR:orders:"),
        lines("flask", MILLIS, "[", ISO + ",SSS", "] INFO in app: "),
        lines("celery", MILLIS, "[", ISO + ",SSS", ": INFO/MainProcess] "),
        lines("gunicorn", SECONDS, "[", ISO + " Z", "] [4711] [INFO] "),
        lines("ruby", MICROS, "I, [", "yyyy-MM-dd'T'HH:mm:ss.SSSSSS", " #4711]  INFO -- orders: "),
        lines("zerolog-console", ChronoUnit.MINUTES, "", "h:mma", " INF "),
        new LogShape(
            "several-severities-first",
            MILLIS,
            (t, m) ->
                (m.length() > 9 ? "WARN " : "INFO ")
                    + " [main] "
                    + at(t, ISO + ",SSS")
                    + " Gossiper.java:89 - "
                    + m,
            TRACE),
        lines("go", SECONDS, "", "yyyy/MM/dd HH:mm:ss", " "),
        lines("go-micros", MICROS, "", "yyyy/MM/dd HH:mm:ss.SSSSSS", " main.go:12: "),
        new LogShape(
            "slog-text",
            MILLIS,
            (t, m) ->
                "time="
                    + at(t, "yyyy-MM-dd'T'HH:mm:ss.SSSXXX")
                    + " level=INFO msg=\""
                    + m
                    + "\" id=7",
            TRACE),
        new LogShape(
            "logrus-text",
            SECONDS,
            (t, m) ->
                "time=\""
                    + at(t, "yyyy-MM-dd'T'HH:mm:ssXXX")
                    + "\" level=warning msg=\""
                    + m
                    + "\" size=10",
            TRACE),
        lines("logrus-console", SECONDS, "INFO[", "yyyy-MM-dd'T'HH:mm:ssXXX", "] "),
        lines("klog", MICROS, "I", "MMdd HH:mm:ss.SSSSSS", "    4711 controller.go:42] "),
        lines("glog", MICROS, "E", "yyyyMMdd HH:mm:ss.SSSSSS", " 4711 server.cc:42] "),
        lines("zap-console", MILLIS, "", "yyyy-MM-dd'T'HH:mm:ss.SSSZ", "\tINFO\tsrv/main.go:12\t"),
        lines("rfc3164", SECONDS, "", "MMM ppd HH:mm:ss", " host1 sshd[4711]: "),
        lines("rfc3164-priority", SECONDS, "<34>", "MMM ppd HH:mm:ss", " host1 su: "),
        lines(
            "rfc5424",
            MICROS,
            "<165>1 ",
            "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
            " host1 su 4711 ID47 [a@1 iut=\"3\"][b x=\"]\"] "),
        lines("rsyslog", MICROS, "", "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX", " host1 cron[12]: "),
        lines("journal-short-iso", SECONDS, "", "yyyy-MM-dd'T'HH:mm:ssZ", " host1 systemd[1]: "),
        json(
            "journal-json",
            MICROS,
            (t, m) ->
                "{\"__CURSOR\":\"s=1\",\"__REALTIME_TIMESTAMP\":\""
                    + epochMicros(t)
                    + "\",\"_HOSTNAME\":\"host1\",\"PRIORITY\":\"4\",\"MESSAGE\":\""
                    + m
                    + "\",\"_PID\":\"12\"}"),
        json(
            "docker",
            MICROS,
            (t, m) ->
                "{\"log\":\""
                    + m
                    + "\\n\",\"stream\":\"stdout\",\"time\":\""
                    + at(t, "yyyy-MM-dd'T'HH:mm:ss.SSSSSS")
                    + "789Z\"}"),
        new LogShape(
            "cri",
            MICROS,
            (t, m) -> at(t, "yyyy-MM-dd'T'HH:mm:ss.SSSSSS") + "789Z stdout F " + m,
            ""),
        lines(
            "nginx-access",
            SECONDS,
            "192.0.2.7 - - [",
            "dd/MMM/yyyy:HH:mm:ss Z",
            "] \"GET /orders HTTP/1.1\" 200 612 \"-\" \"curl/8\" "),
        lines(
            "apache-access",
            SECONDS,
            "2001:db8::1 - frank [",
            "dd/MMM/yyyy:HH:mm:ss Z",
            "] \"POST /a b \\\"c\\\" HTTP/1.0\" 500 - "),
        lines("nginx-error", SECONDS, "", "yyyy/MM/dd HH:mm:ss", " [error] 12#13: *1 "),
        lines("apache-error", SECONDS, "[", "EEE MMM dd HH:mm:ss yyyy", "] [notice] "),
        lines(
            "apache-error-24",
            MICROS,
            "[",
            "EEE MMM dd HH:mm:ss.SSSSSS yyyy",
            "] [core:notice] [pid 12:tid 13] AH00094: "),
        lines("postgresql", MILLIS, "", ISO + ".SSS", " UTC [4711] app@orders LOG:  "),
        lines(
            "mysql-8",
            MICROS,
            "",
            "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
            " 0 [System] [MY-010116] [Server] "),
        lines("mysql-5", SECONDS, "", "yyMMdd ppH:mm:ss", " [Note] "),
        lines("redis", MILLIS, "4711:M ", "dd MMM yyyy HH:mm:ss.SSS", " * "),
        lines("redis-2", MILLIS, "[4711] ", "dd MMM HH:mm:ss.SSS", " # "),
        json(
            "etcd",
            MICROS,
            (t, m) ->
                "{\"level\":\"info\",\"ts\":\""
                    + at(t, "yyyy-MM-dd'T'HH:mm:ss.SSSSSSZ")
                    + "\",\"caller\":\"a.go:1\",\"msg\":\""
                    + m
                    + "\",\"args\":[\"x\",1]}"),
        lines("etcd-2", MICROS, "", ISO + ".SSSSSS", " I | raft: "),
        lines(
            "zookeeper",
            MILLIS,
            "",
            ISO + ",SSS",
            " - INFO  [QuorumPeer[myid=1]/0:0:0:0:0:0:0:0:2181:FastLeaderElection@774] - "),
        lines("zookeeper-3.8", MILLIS, "", ISO + ",SSS", " [myid:1] - INFO  [main:o.a.z.Q@1] - "),
        lines("kafka", MILLIS, "[", ISO + ",SSS", "] INFO [Broker 1] "),
        lines("cassandra", MILLIS, "INFO  [main] ", ISO + ",SSS", " Gossiper.java:89 - "),
        lines("hdfs", SECONDS, "", "yyMMdd HHmmss", " 143 INFO dfs.DataNode$DataXceiver: "),
        lines(
            "hadoop",
            MILLIS,
            "",
            ISO + ",SSS",
            " INFO [main] org.apache.hadoop.mapreduce.v2.app.MRAppMaster: "),
        lines("spark", SECONDS, "", "yy/MM/dd HH:mm:ss", " INFO executor.Executor: "),
        new LogShape(
            "bgl",
            MICROS,
            (t, m) ->
                "- "
                    + t.toEpochSecond()
                    + at(t, " yyyy.MM.dd")
                    + " R02-M1-N0-C:J12-U11 "
                    + at(t, "yyyy-MM-dd-HH.mm.ss.SSSSSS")
                    + " R02-M1-N0-C:J12-U11 RAS KERNEL INFO "
                    + m,
            ""),
        new LogShape(
            "hpc",
            SECONDS,
            (t, m) ->
                "134681 node-246 unix.hw state_change.unavailable " + t.toEpochSecond() + " 1 " + m,
            ""),
        new LogShape(
            "thunderbird",
            SECONDS,
            (t, m) ->
                "- "
                    + t.toEpochSecond()
                    + at(t, " yyyy.MM.dd")
                    + " dn228 "
                    + at(t, "MMM d HH:mm:ss")
                    + " dn228/dn228 crond[2915]: "
                    + m,
            ""),
        lines("windows", SECONDS, "", ISO, ", Info                  CBS    "),
        lines("linux", SECONDS, "", "MMM ppd HH:mm:ss", " combo sshd(pam_unix)[19939]: "),
        lines("android", MILLIS, "", "MM-dd HH:mm:ss.SSS", "  1702  2395 D WindowManager: "),
        lines("healthapp", MILLIS, "", "yyyyMMdd-H:m:s:SSS", "|Step_LSC|30002312|"),
        lines("proxifier", SECONDS, "[", "MM.dd HH:mm:ss", "] chrome.exe - proxy:5070 "),
        lines("openssh", SECONDS, "", "MMM ppd HH:mm:ss", " LabSZ sshd[24200]: "),
        lines(
            "openstack",
            MILLIS,
            "nova-api.log.1.2017-05-16_13:53:08 ",
            ISO + ".SSS",
            " 25746 INFO nova.api [req-1 - - - - -] "),
        lines(
            "openstack-plain", MILLIS, "", ISO + ".SSS", " 25746 INFO nova.api [req-1 - - - - -] "),
        lines("mac", SECONDS, "", "MMM ppd HH:mm:ss", " calvisitor-10-105-160-95 kernel[0]: "),
        json(
            "bunyan",
            MILLIS,
            (t, m) ->
                "{\"name\":\"a\",\"hostname\":\"h\",\"pid\":1,\"level\":30,\"msg\":\""
                    + m
                    + "\",\"time\":\""
                    + at(t, "yyyy-MM-dd'T'HH:mm:ss.SSSXXX")
                    + "\",\"v\":0}"),
        json(
            "pino",
            MILLIS,
            (t, m) ->
                "{\"level\":30,\"time\":"
                    + epochMicros(t) / 1_000
                    + ",\"pid\":1,\"hostname\":\"h\",\"msg\":\""
                    + m
                    + "\"}"),
        json(
            "zap",
            MICROS,
            (t, m) ->
                "{\"level\":\"info\",\"ts\":"
                    + t.toEpochSecond()
                    + "."
                    + at(t, "SSSSSS")
                    + ",\"caller\":\"a.go:1\",\"msg\":\""
                    + m
                    + "\"}"),
        json(
            "zerolog",
            SECONDS,
            (t, m) ->
                "{\"level\":\"info\",\"time\":"
                    + t.toEpochSecond()
                    + ",\"message\":\""
                    + m
                    + "\"}"),
        json(
            "slog-json",
            MICROS,
            (t, m) ->
                "{\"time\":\""
                    + at(t, "yyyy-MM-dd'T'HH:mm:ss.SSSSSS")
                    + "123Z\",\"level\":\"INFO\",\"msg\":\""
                    + m
                    + "\",\"id\":7}"),
        json(
            "logstash",
            MILLIS,
            (t, m) ->
                "{\"@timestamp\":\""
                    + at(t, "yyyy-MM-dd'T'HH:mm:ss.SSSXXX")
                    + "\",\"@version\":\"1\",\"message\":\""
                    + m
                    + "\",\"logger_name\":\"a\",\"level\":\"INFO\",\"level_value\":20000}"),
        json(
            "ecs",
            MILLIS,
            (t, m) ->
                "{\"@timestamp\":\""
                    + at(t, "yyyy-MM-dd'T'HH:mm:ss.SSSX")
                    + "\",\"log.level\":\"INFO\",\"message\":\""
                    + m
                    + "\",\"ecs.version\":\"1.2.0\"}"),
        json(
            "gelf",
            MILLIS,
            (t, m) ->
                "{\"version\":\"1.1\",\"host\":\"h\",\"short_message\":\""
                    + m
                    + "\",\"timestamp\":"
                    + t.toEpochSecond()
                    + "."
                    + at(t, "SSS")
                    + ",\"level\":6,\"_x\":1}"),
        json(
            "log4j2-json",
            MILLIS,
            (t, m) ->
                "{\"instant\":{\"epochSecond\":"
                    + t.toEpochSecond()
                    + ",\"nanoOfSecond\":"
                    + t.getNano() / 1_000_000 * 1_000_000
                    + "},\"level\":\"INFO\",\"message\":\""
                    + m
                    + "\"}"),
        json(
            "mongodb",
            MILLIS,
            (t, m) ->
                "{\"t\":{\"$date\":\""
                    + at(t, "yyyy-MM-dd'T'HH:mm:ss.SSSXXX")
                    + "\"},\"s\":\"I\",\"c\":\"NETWORK\",\"msg\":\""
                    + m
                    + "\"}"),
        lines(
            "tomcat",
            MILLIS,
            "",
            "dd-MMM-yyyy HH:mm:ss.SSS",
            " INFO [main] org.apache.catalina.Startup "),
        lines(
            "elasticsearch",
            MILLIS,
            "[",
            "yyyy-MM-dd'T'HH:mm:ss,SSS",
            "][INFO ][o.e.n.Node] [node-1] "),
        lines("rabbitmq", MICROS, "", ISO + ".SSSSSSXXX", " [info] <0.123.0> "),
        lines("consul", MILLIS, "", "yyyy-MM-dd'T'HH:mm:ss.SSSZ", " [INFO]  agent: "),
        lines("docker-compose", MICROS, "web-1  | ", "yyyy-MM-dd'T'HH:mm:ss.SSSSSSX", " "),
        lines("us-date", SECONDS, "", "MM/dd/yyyy hh:mm:ss a", " INFO "),
        lines("german-date", MILLIS, "", "dd.MM.yyyy HH:mm:ss,SSS", " INFO "),
        new LogShape(
            "week-date",
            SECONDS,
            (t, m) ->
                DateTimeFormatter.ISO_WEEK_DATE.format(t.toLocalDate())
                    + at(t, "'T'HH:mm:ss")
                    + "Z INFO "
                    + m,
            TRACE),
        lines("ordinal-date", MILLIS, "", "yyyy-DDD'T'HH:mm:ss.SSSX", " INFO "),
        lines("basic-date", MILLIS, "", "yyyyMMdd'T'HHmmss.SSSX", " INFO "));
  }

  /** The instant that a reader should find for a time. */
  long expectedMicros(ZonedDateTime time) {
    Instant instant = time.toInstant().truncatedTo(resolution);
    return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
  }
}
