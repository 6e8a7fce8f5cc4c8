"""Uses a server as SQS by boto3, and prints a line of JSON for each fact. Usage: boto3_client.py <url>"""
import json
import sys

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

sqs = boto3.client(
    "sqs",
    endpoint_url=sys.argv[1],
    region_name="eu-central-1",
    aws_access_key_id="any",
    aws_secret_access_key="any",
    config=Config(retries={"max_attempts": 1}),
)


def show(name, value):
    print(json.dumps({name: value}), flush=True)


def refusal(call, **arguments):
    try:
        call(**arguments)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return None


url = sqs.create_queue(QueueName="Orders", Attributes={"DelaySeconds": "0"}, tags={"team": "a"})["QueueUrl"]
show("found", sqs.get_queue_url(QueueName="Orders")["QueueUrl"] == url)
show("listed", [one.split("/")[-1] for one in sqs.list_queues(QueueNamePrefix="Ord")["QueueUrls"]])
show("tags", sqs.list_queue_tags(QueueUrl=url)["Tags"])
sqs.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": "40"})
show("attributes", sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["VisibilityTimeout", "QueueArn"])["Attributes"])

body = "<order> & \"quotes\"\r\n 漢字 🚀"
attributes = {
    "city": {"DataType": "String", "StringValue": "Zürich <1>"},
    "raw": {"DataType": "Binary", "BinaryValue": b"\x00\x01\xfe"},
}
sent = sqs.send_message(QueueUrl=url, MessageBody=body, MessageAttributes=attributes)
received = sqs.receive_message(
    QueueUrl=url, AttributeNames=["All"], MessageAttributeNames=["All"], MaxNumberOfMessages=10
)["Messages"]
show("same", [received[0]["Body"] == body, received[0]["MessageId"] == sent["MessageId"]])
show("values", {name: str(value.get("StringValue", value.get("BinaryValue"))) for name, value in received[0]["MessageAttributes"].items()})
show("count", received[0]["Attributes"]["ApproximateReceiveCount"])
sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=received[0]["ReceiptHandle"], VisibilityTimeout=0)
again = sqs.receive_message(QueueUrl=url)["Messages"]
sqs.delete_message(QueueUrl=url, ReceiptHandle=again[0]["ReceiptHandle"])
show("empty", sqs.receive_message(QueueUrl=url).get("Messages"))

batch = sqs.send_message_batch(
    QueueUrl=url,
    Entries=[{"Id": str(n), "MessageBody": "b%d" % n, "DelaySeconds": 0} for n in range(3)]
    + [{"Id": "late", "MessageBody": "x", "DelaySeconds": 901}],
)
show("batch", [[one["Id"] for one in batch["Successful"]], [(one["Id"], one["Code"], one["SenderFault"]) for one in batch["Failed"]]])
messages = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]
deleted = sqs.delete_message_batch(
    QueueUrl=url, Entries=[{"Id": str(n), "ReceiptHandle": one["ReceiptHandle"]} for n, one in enumerate(messages)]
)
show("deleted", len(deleted["Successful"]))

fifo = sqs.create_queue(QueueName="lines.fifo", Attributes={"FifoQueue": "true", "ContentBasedDeduplication": "true"})["QueueUrl"]
for text in ["1", "2", "2"]:
    sqs.send_message(QueueUrl=fifo, MessageBody=text, MessageGroupId="g")
show("fifo", [one["Body"] for one in sqs.receive_message(QueueUrl=fifo, MaxNumberOfMessages=10)["Messages"]])

show(
    "refused",
    [
        refusal(sqs.get_queue_url, QueueName="gone"),
        refusal(sqs.create_queue, QueueName="Orders", Attributes={"DelaySeconds": "7"}),
        refusal(sqs.delete_message, QueueUrl=url, ReceiptHandle="nonsense"),
        refusal(sqs.send_message, QueueUrl=url, MessageBody="a", DelaySeconds=901),
        refusal(sqs.send_message_batch, QueueUrl=url, Entries=[]),
        refusal(sqs.add_permission, QueueUrl=url, Label="a", AWSAccountIds=["1"], Actions=["SendMessage"]),
    ],
)
sqs.untag_queue(QueueUrl=url, TagKeys=["team"])
sqs.purge_queue(QueueUrl=url)
sqs.delete_queue(QueueUrl=url)
