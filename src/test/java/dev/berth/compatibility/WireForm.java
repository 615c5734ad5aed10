package dev.berth.compatibility;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What processes compiled against a file of protocol buffers read and write: a line for each call, field and value. */
final class WireForm {
    private WireForm() {}

    static List<String> of(FileDescriptor file) {
        return Stream.of(
                        file.getServices().stream().flatMap(WireForm::calls),
                        file.getMessageTypes().stream().flatMap(WireForm::fields),
                        file.getEnumTypes().stream().flatMap(WireForm::values))
                .flatMap(lines -> lines)
                .sorted()
                .toList();
    }

    /** What a change would break; a field or value may go if its number is reserved, so that nobody uses it again. */
    static List<String> broken(List<String> released, List<String> now) {
        return released.stream()
                .filter(line -> !now.contains(line) && !now.contains(reserved(line)))
                .map(line -> "is gone or changed, and its number not reserved: " + line)
                .toList();
    }

    private static Stream<String> calls(ServiceDescriptor service) {
        return service.getMethods().stream()
                .map(call -> service.getFullName() + " calls " + call.getName() + "("
                        + (call.isClientStreaming() ? "stream " : "")
                        + call.getInputType().getFullName() + ") returns "
                        + (call.isServerStreaming() ? "stream " : "")
                        + call.getOutputType().getFullName());
    }

    private static Stream<String> fields(Descriptor message) {
        List<String> lines = new ArrayList<>();
        if (message.getOptions().getMapEntry()) {
            return Stream.of();
        }
        message.getFields().forEach(field -> lines.add(line(message, field)));
        message.getNestedTypes().stream().flatMap(WireForm::fields).forEach(lines::add);
        message.getEnumTypes().stream().flatMap(WireForm::values).forEach(lines::add);
        DescriptorProto proto = message.toProto();
        proto.getReservedRangeList().stream()
                // The end is not in it.
                .flatMapToInt(range -> IntStream.range(range.getStart(), range.getEnd()))
                .forEach(number -> lines.add(message.getFullName() + " " + number + " reserved"));
        return lines.stream();
    }

    private static String line(Descriptor message, FieldDescriptor field) {
        String presence =
                field.isMapField() ? "map" : field.isRepeated() ? "repeated" : field.hasPresence() ? "optional" : "one";
        String oneof = Optional.ofNullable(field.getRealContainingOneof())
                .map(one -> " of " + one.getName())
                .orElse("");
        return message.getFullName() + " " + field.getNumber() + " " + field.getName() + ": " + presence + " "
                + type(field) + oneof;
    }

    private static String type(FieldDescriptor field) {
        if (field.isMapField()) {
            return field.getMessageType().getFields().stream()
                    .map(WireForm::type)
                    .toList()
                    .toString();
        }
        return switch (field.getJavaType()) {
            case MESSAGE -> field.getMessageType().getFullName();
            case ENUM -> field.getEnumType().getFullName();
            default -> field.getType().name().toLowerCase(java.util.Locale.ROOT);
        };
    }

    private static Stream<String> values(EnumDescriptor type) {
        EnumDescriptorProto proto = type.toProto();
        return Stream.concat(
                type.getValues().stream()
                        .map(value -> type.getFullName() + " " + value.getNumber() + " " + value.getName()),
                proto.getReservedRangeList().stream()
                        // Of an enum the end is in it.
                        .flatMapToInt(range -> IntStream.rangeClosed(range.getStart(), range.getEnd()))
                        .mapToObj(number -> type.getFullName() + " " + number + " reserved"));
    }

    /** What stands in the place of a line that went. */
    private static String reserved(String line) {
        String[] words = line.split(" ", 3);
        return words[0] + " " + words[1] + " reserved";
    }
}
